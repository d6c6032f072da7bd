-- The keys that seal signed documents, with the root that certifies them. The private parts are encrypted.
create table svc.seal_key (
  kid text primary key,
  certificate text not null,
  sealed text not null,
  root text not null,
  sealed_root text not null,
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz
);
create unique index seal_key_current on svc.seal_key ((retired_at is null)) where retired_at is null;
