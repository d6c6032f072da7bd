-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

checkpoint_version.lease_id  uuid not null
checkpoint_version.version  int4 not null
checkpoint_version.body  bytea not null
checkpoint_version.idempotency_key  text 
checkpoint_version.created_at  timestamptz not null  default now()
checkpoint_version.content_type  text 
CREATE UNIQUE INDEX checkpoint_version_pkey ON svc.checkpoint_version (lease_id, version)
checkpoint.buy(_job json, _fields json, _seconds integer, _body bytea) -> json
checkpoint.export_account(_account uuid) -> json
checkpoint.find(_account uuid, _workflow text) -> svc.lease
checkpoint.list(_account uuid, _limit integer, _offset integer) -> json
checkpoint.list_versions(_account uuid, _workflow text, _limit integer) -> json
checkpoint.load(_account uuid, _workflow text, _version integer) -> TABLE(body bytea, version integer, sha256 text, content_type text, updated_at timestamp with time zone, expires_at timestamp with time zone)
checkpoint.lock(_account uuid, _workflow text) -> svc.lease
checkpoint.remove(_account uuid, _workflow text, _condition json) -> void
checkpoint.require_version(_lease svc.lease, _condition json) -> void
checkpoint.view_version(_lease svc.lease, _version svc.checkpoint_version) -> json
checkpoint.write(_account uuid, _workflow text, _body bytea, _condition json, _key text, _keep integer, _type text) -> json
