create unlogged table svc.rate_count (
  bucket text not null,
  window_start bigint not null,
  used integer not null,
  primary key (bucket, window_start)
) with (fillfactor = 50);
