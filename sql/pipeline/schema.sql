-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

pipeline.account_id  uuid not null
pipeline.name  text not null
pipeline.version  int4 not null
pipeline.definition  json not null
pipeline.created_at  timestamptz not null  default now()
CREATE UNIQUE INDEX pipeline_pkey ON svc.pipeline (account_id, name, version)
pipeline  check CHECK ((version > 0))
pipeline  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
pipeline.describe(_pipeline svc.pipeline) -> json
pipeline.erase_account(_account uuid) -> void
pipeline.export_account(_account uuid) -> json
pipeline.find(_account uuid, _name text, _version integer) -> json
pipeline.list(_account uuid, _name text, _limit integer, _offset integer) -> TABLE(name text, version integer, created_at timestamp with time zone, description text)
pipeline.move_account(_from uuid, _to uuid) -> void
pipeline.remove(_account uuid, _name text) -> integer
pipeline.save(_account uuid, _name text, _definition json, _max integer) -> json
