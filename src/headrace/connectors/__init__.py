"""The places that rows come from and go to, a file each."""
