"""JSON files in, Parquet files out, and the lines that could not be read kept apart with their reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import headrace as hr

HERE = Path(__file__).parent
OUT = HERE / ".headrace" / "orders"
ORDER = "id string, country string, euros double, time timestamp"

app = hr.App("json-to-parquet")
orders = app.read(hr.files(HERE / "orders", "json", schema=ORDER), name="orders")
orders.write(hr.files(OUT / "parquet", "parquet", partition_by="country"), name="parquet")
unread = orders.rejected.select("reason", line="CAST(raw AS STRING)")
unread.write(hr.console(), name="could not be read")

reader = hr.App("read-it-back")
stored = reader.read(hr.files(OUT / "parquet", "parquet", schema=ORDER))
stored.sql("SELECT id, country, euros FROM {stream} ORDER BY id").write(hr.console(), name="in Parquet")

if __name__ == "__main__":
    # Run again, the job would take new files alone; this makes it begin anew each time.
    shutil.rmtree(OUT, ignore_errors=True)
    app.run(mode="available-now", checkpoint=str(OUT / "checkpoint"))
    reader.run(mode="batch")
    for file in sorted((OUT / "parquet").glob("country=*")):
        print(file.name)
