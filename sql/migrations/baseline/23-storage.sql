-- The file of a storage lease.
create table svc.lease_content (
  lease_id uuid primary key,
  object_key text not null,
  size_bytes integer not null check (size_bytes > 0),
  sha256 text not null,
  content_type text not null,
  filename text
);
