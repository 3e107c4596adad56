"""Page views: one app stores them, counts them and raises an alert for each load that failed."""

from __future__ import annotations

import headrace as hr

VIEW = "seq long, page string, user string, status int, load_ms int, event_time timestamp"

app = hr.App("page-views")
views = app.read(
    hr.kafka("page-views", value=hr.json(VIEW)),
    event_time="event_time",
    delay="5 seconds",
)

# The first group keeps every view.
views.write(hr.files(".headrace/demo/views", "parquet"), name="store")

# The second counts the views of each page, ten seconds at a time, every five seconds.
counts = (
    views.key_by("page")
    .window(hr.sliding("10 seconds", every="5 seconds"), late="drop")
    .agg(views="count(*)", failed="count_if(status >= 500)", load_ms="CAST(avg(load_ms) AS INT)")
)
counts.write(hr.console(rows=50), name="views per page", output="update")

# The third raises an alert for each load of a page that failed.
failures = views.where("status >= 500").select("seq", "page", "user", "status", "event_time")
failures.write(hr.kafka("page-alerts", key="page"), name="alerts")

if __name__ == "__main__":
    app.run()
