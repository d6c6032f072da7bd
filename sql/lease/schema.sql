-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

lease.id  uuid not null
lease.account_id  uuid not null
lease.kind  lease_kind not null
lease.job_id  uuid not null
lease.created_at  timestamptz not null  default now()
lease.updated_at  timestamptz not null  default now()
lease.expires_at  timestamptz not null
lease.ended_at  timestamptz 
lease.is_deleted  bool not null  default false
lease.max_body_bytes  int4 not null
lease.workflow_id  text 
lease.version  int4 not null  default 0
lease.label  text 
lease.capacity_bytes  int8 
lease.used_bytes  int8 not null  default 0
lease.max_messages  int4 
lease.message_count  int4 not null  default 0
lease.sequence  int8 not null  default 0
lease.drop_rate  int4 
lease.content_types  _text 
lease.drop_token_hash  bytea 
lease.has_webhook  bool not null  default false
lease.delete_on_claim  bool not null  default false
lease.claimed_at  timestamptz 
lease_content.lease_id  uuid not null
lease_content.object_key  text not null
lease_content.size_bytes  int4 not null
lease_content.sha256  text not null
lease_content.content_type  text not null
lease_content.filename  text 
CREATE INDEX lease_claimed ON svc.lease (claimed_at) WHERE ((claimed_at IS NOT NULL) AND (ended_at IS NULL))
CREATE INDEX lease_expiry ON svc.lease (expires_at) WHERE (ended_at IS NULL)
CREATE INDEX lease_of_account ON svc.lease (account_id, kind, created_at DESC)
CREATE INDEX lease_tombstone ON svc.lease (ended_at) WHERE (ended_at IS NOT NULL)
CREATE UNIQUE INDEX lease_of_drop_token ON svc.lease (drop_token_hash) WHERE (drop_token_hash IS NOT NULL)
CREATE UNIQUE INDEX lease_of_workflow ON svc.lease (account_id, workflow_id) WHERE ((workflow_id IS NOT NULL) AND (ended_at IS NULL))
CREATE UNIQUE INDEX lease_pkey ON svc.lease (id)
CREATE UNIQUE INDEX lease_content_pkey ON svc.lease_content (lease_id)
lease  check CHECK (((kind = 'checkpoint'::svc.lease_kind) = (workflow_id IS NOT NULL)))
lease  check CHECK (((kind = 'mailbox'::svc.lease_kind) = (capacity_bytes IS NOT NULL)))
lease  check CHECK (((message_count >= 0) AND (message_count <= COALESCE(max_messages, 0))))
lease  check CHECK (((used_bytes >= 0) AND (used_bytes <= COALESCE(capacity_bytes, (0)::bigint))))
lease  check CHECK ((max_body_bytes > 0))
lease_content  check CHECK ((size_bytes > 0))
lease.check_invariants() -> TABLE(rule text, subject text, detail text)
lease.delete_records(_ids uuid[]) -> void
lease.erase_account(_account uuid) -> void
lease.expire(_id uuid) -> void
lease.export_account(_account uuid, _kind svc.lease_kind) -> SETOF jsonb
lease.finish(_ids uuid[], _is_deleted boolean) -> void
lease.forget(_id uuid, _keep interval) -> void
lease.format_id(_prefix text, _id uuid) -> text
lease.format_sha256(_body bytea) -> text
lease.format_time(_at timestamp with time zone) -> text
lease.list_live(_account uuid, _limit integer) -> json
lease.list_tags(_list json) -> text[]
lease.open(_lease svc.lease) -> void
lease.prepare(_fields json, _seconds integer) -> svc.lease
lease.require_usable(_lease svc.lease, _account uuid) -> void
lease.require_version(_lease svc.lease, _sha256 text, _condition json) -> void
