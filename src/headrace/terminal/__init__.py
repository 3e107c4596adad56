"""What a person sees in a terminal: the live block of a running job, tables, drawn graphs."""
