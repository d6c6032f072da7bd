-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

webhook_delivery.id  uuid not null
webhook_delivery.endpoint_id  uuid not null
webhook_delivery.event  text not null
webhook_delivery.subject_id  uuid 
webhook_delivery.sequence  int8 not null
webhook_delivery.payload  json not null
webhook_delivery.status  delivery_status not null  default 'PENDING'
webhook_delivery.attempts  int4 not null  default 0
webhook_delivery.round  int2 not null  default 0
webhook_delivery.due_at  timestamptz 
webhook_delivery.worker_id  uuid 
webhook_delivery.response_code  int4 
webhook_delivery.response_body  text 
webhook_delivery.error_message  text 
webhook_delivery.created_at  timestamptz not null  default now()
webhook_delivery.finished_at  timestamptz 
webhook_endpoint.id  uuid not null
webhook_endpoint.account_id  uuid not null
webhook_endpoint.target_id  uuid 
webhook_endpoint.url  text not null
webhook_endpoint.events  _text not null
webhook_endpoint.description  text 
webhook_endpoint.secret  text not null
webhook_endpoint.former_secret  text 
webhook_endpoint.former_until  timestamptz 
webhook_endpoint.is_active  bool not null  default true
webhook_endpoint.disabled_at  timestamptz 
webhook_endpoint.disabled_reason  text 
webhook_endpoint.consecutive_failures  int4 not null  default 0
webhook_endpoint.failing_since  timestamptz 
webhook_endpoint.doubted_since  timestamptz 
webhook_endpoint.pause_seconds  int4 not null  default 0
webhook_endpoint.paused_until  timestamptz 
webhook_endpoint.concurrency  int2 not null  default 1
webhook_endpoint.is_prompt  bool not null  default false
webhook_endpoint.next_at  timestamptz 
webhook_endpoint.sequence  int8 not null  default 0
webhook_endpoint.created_at  timestamptz not null  default now()
webhook_endpoint.updated_at  timestamptz not null  default now()
webhook_endpoint.deleted_at  timestamptz 
CREATE INDEX webhook_delivery_age ON svc.webhook_delivery (created_at)
CREATE INDEX webhook_delivery_due ON svc.webhook_delivery (endpoint_id, due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX webhook_delivery_of_endpoint ON svc.webhook_delivery (endpoint_id, created_at DESC, sequence DESC)
CREATE INDEX webhook_delivery_taken ON svc.webhook_delivery (endpoint_id) WHERE (worker_id IS NOT NULL)
CREATE UNIQUE INDEX webhook_delivery_pkey ON svc.webhook_delivery (id)
CREATE INDEX webhook_endpoint_due ON svc.webhook_endpoint (is_prompt, next_at) WHERE (next_at IS NOT NULL)
CREATE INDEX webhook_endpoint_of_account ON svc.webhook_endpoint (account_id, created_at) WHERE (target_id IS NULL)
CREATE INDEX webhook_endpoint_of_jobs ON svc.webhook_endpoint (account_id) WHERE ((target_id IS NULL) AND (deleted_at IS NULL) AND ('job.completed'::text = ANY (events)))
CREATE INDEX webhook_endpoint_of_target ON svc.webhook_endpoint (target_id) WHERE (target_id IS NOT NULL)
CREATE UNIQUE INDEX webhook_endpoint_pkey ON svc.webhook_endpoint (id)
webhook_delivery  check CHECK (((status = 'PENDING'::svc.delivery_status) = (due_at IS NOT NULL)))
webhook_endpoint  check CHECK ((consecutive_failures >= 0))
webhook.check_invariants() -> TABLE(rule text, subject text, detail text)
webhook.delete(_account uuid, _id uuid) -> void
webhook.emit(_emissions svc.webhook_emission[]) -> integer
webhook.emit_jobs(_accounts uuid[], _jobs uuid[]) -> void
webhook.erase_account(_account uuid) -> void
webhook.export_account(_account uuid) -> json
webhook.fail_waiting(_id uuid, _reason text) -> void
webhook.find_endpoints(_account uuid, _target uuid, _event text) -> SETOF svc.webhook_endpoint
webhook.finish(_attempt svc.webhook_attempt) -> void
webhook.finish_batch(_batch json, _is_repeat boolean) -> json
webhook.forget(_older_than interval) -> integer
webhook.forget_failures(_id uuid) -> void
webhook.free_slots(_endpoint svc.webhook_endpoint, _max_per_endpoint integer) -> bigint
webhook.list(_account uuid) -> json
webhook.list_deliveries(_account uuid, _id uuid, _status svc.delivery_status, _limit integer, _offset integer) -> json
webhook.lock(_account uuid, _id uuid) -> svc.webhook_endpoint
webhook.new_id() -> uuid
webhook.note_failure(_endpoint svc.webhook_endpoint, _attempt svc.webhook_attempt) -> void
webhook.note_success(_endpoint svc.webhook_endpoint, _ms integer) -> void
webhook.read(_account uuid, _id uuid) -> json
webhook.read_delivery(_account uuid, _id uuid, _delivery uuid) -> json
webhook.redeliver(_account uuid, _id uuid, _delivery_id uuid) -> json
webhook.redeliver_since(_account uuid, _id uuid, _since timestamp with time zone, _limit integer) -> integer
webhook.register(_id uuid, _account uuid, _target uuid, _url text, _events text[], _description text, _secret text, _max integer) -> json
webhook.release(_workers uuid[]) -> void
webhook.require_active(_endpoint svc.webhook_endpoint) -> void
webhook.retry_delay(_round integer, _retry_after integer) -> interval
webhook.rotate(_account uuid, _id uuid, _secret text, _overlap_seconds integer) -> json
webhook.schedule(_id uuid, _max_per_endpoint integer DEFAULT 64) -> void
webhook.send_now(_id uuid) -> void
webhook.send_test(_account uuid, _id uuid) -> json
webhook.take(_worker uuid, _slots integer, _trial_slots integer, _max_per_endpoint integer, _lease_seconds integer) -> json
webhook.take_kind(_worker uuid, _is_prompt boolean, _slots integer, _max_per_endpoint integer, _lease_seconds integer) -> uuid[]
webhook.tell_disabled(_endpoint svc.webhook_endpoint, _reason text) -> void
webhook.update(_account uuid, _id uuid, _change jsonb) -> json
webhook.view(_endpoint svc.webhook_endpoint) -> json
webhook.view_delivery(_delivery svc.webhook_delivery) -> jsonb
