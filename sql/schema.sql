-- What the migrations and functions make: a map for reading, never run. A test keeps it fresh.

account.id  uuid not null
account.name  text 
account.is_test  bool not null  default false
account.balance_micros  int8 not null  default 0
account.held_micros  int8 not null  default 0
account.suspended_at  timestamptz 
account.created_at  timestamptz not null  default now()
api_key.hash  bytea not null
api_key.prefix  text not null
api_key.mode  text not null
api_key.account_id  uuid not null
api_key.created_at  timestamptz not null  default now()
api_key.revoked_at  timestamptz 
entry.transfer_id  int8 
entry.ledger  text 
entry.account_id  uuid 
entry.amount_micros  int8 
entry.asset  text 
entry.created_at  timestamptz 
idempotency.account_id  uuid not null
idempotency.key  text not null
idempotency.fingerprint  bytea not null
idempotency.job_id  uuid not null
idempotency.created_at  timestamptz not null  default now()
job.id  uuid not null
job.account_id  uuid not null
job.service_key  text not null
job.lane  text not null
job.status  job_status not null
job.attempt  int2 not null  default 0
job.is_async  bool not null  default false
job.held_micros  int8 not null  default 0
job.charged_micros  int8 
job.created_at  timestamptz not null  default now()
job.started_at  timestamptz 
job.finished_at  timestamptz 
job.deadline_at  timestamptz 
job.worker_id  uuid 
job.idempotency_key  text 
job.progress  json 
job.result  json 
job.problem  json 
object.key  text not null
object.account_id  uuid not null
object.kind  text not null
object.job_id  uuid 
object.size_bytes  int8 
object.content_type  text 
object.name  text 
object.created_at  timestamptz not null  default now()
object.expires_at  timestamptz not null
price.service_key  text not null
price.rate_micros  int8 not null
price.updated_at  timestamptz not null  default now()
rate_count.bucket  text not null
rate_count.window_start  int8 not null
rate_count.used  int4 not null
sender.chain_id  int8 not null
sender.address  text not null
sender.next_nonce  int8 
sender.noted_at  timestamptz not null  default now()
setting.name  text not null
setting.value  jsonb not null
setting.updated_at  timestamptz not null  default now()
transfer.id  int8 not null
transfer.account_id  uuid not null
transfer.job_id  uuid 
transfer.kind  transfer_kind not null
transfer.amount_micros  int8 not null
transfer.asset  text not null  default 'USD'
transfer.service_key  text 
transfer.reference  text 
transfer.created_at  timestamptz not null  default now()
transfer_side.kind  transfer_kind not null
transfer_side.debit  text not null
transfer_side.credit  text not null
worker.id  uuid not null
worker.host  text not null
worker.pid  int4 not null
worker.pools  _text not null  default '{}'[]
worker.lanes  jsonb not null  default '{}'
worker.tools  jsonb not null  default '[]'
worker.started_at  timestamptz not null  default now()
worker.beat_at  timestamptz not null  default now()
CREATE UNIQUE INDEX account_pkey ON svc.account (id)
CREATE INDEX api_key_account ON svc.api_key (account_id)
CREATE UNIQUE INDEX api_key_pkey ON svc.api_key (hash)
CREATE INDEX idempotency_age ON svc.idempotency (created_at)
CREATE UNIQUE INDEX idempotency_pkey ON svc.idempotency (account_id, key)
CREATE INDEX job_of_account ON svc.job (account_id, id DESC)
CREATE INDEX job_open ON svc.job (deadline_at) WHERE (status = ANY (ARRAY['submitted'::svc.job_status, 'running'::svc.job_status]))
CREATE UNIQUE INDEX job_pkey ON svc.job (id)
CREATE INDEX object_expiry ON svc.object (expires_at)
CREATE UNIQUE INDEX object_pkey ON svc.object (key)
CREATE UNIQUE INDEX price_pkey ON svc.price (service_key)
CREATE UNIQUE INDEX rate_count_pkey ON svc.rate_count (bucket, window_start)
CREATE UNIQUE INDEX sender_pkey ON svc.sender (chain_id, address)
CREATE UNIQUE INDEX setting_pkey ON svc.setting (name)
CREATE INDEX transfer_line ON svc.transfer (account_id, id DESC) WHERE (kind = ANY (ARRAY['topup'::svc.transfer_kind, 'hold'::svc.transfer_kind, 'charge'::svc.transfer_kind, 'refund'::svc.transfer_kind]))
CREATE UNIQUE INDEX transfer_pkey ON svc.transfer (id)
CREATE UNIQUE INDEX transfer_side_pkey ON svc.transfer_side (kind)
CREATE UNIQUE INDEX worker_pkey ON svc.worker (id)
account  check CHECK ((balance_micros >= 0))
account  check CHECK ((held_micros >= 0))
api_key  check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
api_key  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
object  check CHECK ((kind = ANY (ARRAY['upload'::text, 'output'::text])))
price  check CHECK ((rate_micros >= 0))
sender  check CHECK ((address = lower(address)))
transfer  check CHECK ((amount_micros > 0))
account.create(_id uuid, _name text, _is_test boolean) -> uuid
account.credit(_account uuid, _micros bigint, _asset text, _reference text) -> bigint
account.list(_limit integer, _offset integer) -> json
account.read(_account uuid) -> json
account.suspend(_account uuid, _suspended boolean) -> void
job.announce(_ended svc.job[]) -> void
job.begin_again(_id uuid, _worker uuid, _is_first boolean) -> integer
job.begin_batch(_batch json, _is_repeat boolean) -> json
job.calls_of(_batch json) -> svc.call[]
job.cancel(_account uuid, _id uuid) -> text
job.close(_closings svc.closing[]) -> svc.job[]
job.closing_of(_id uuid, _account uuid, _status svc.job_status, _code text) -> svc.closing
job.earlier(_account uuid, _key text, _fingerprint bytea) -> TABLE(verdict text, job_id uuid, status svc.job_status, result json, charged_micros bigint)
job.expire() -> integer
job.finish_batch(_batch json, _is_repeat boolean) -> json
job.first_id(_at timestamp with time zone) -> uuid
job.forget(_older_than interval) -> integer
job.hurry(_id uuid) -> text
job.instant_batch(_batch json, _is_repeat boolean) -> json
job.intake_batch(_batch json, _is_repeat boolean) -> json
job.list(_account uuid, _status svc.job_status, _limit integer, _offset integer) -> json
job.look_up(_account uuid, _key text, _fingerprint bytea) -> json
job.outcomes(_ids uuid[]) -> json
job.raise_hold(_id uuid, _attempt integer, _micros bigint) -> boolean
job.read(_account uuid, _id uuid) -> json
job.report_progress(_id uuid, _attempt integer, _progress json) -> void
job.spend(_account uuid, _micros bigint, _into_held boolean) -> void
job.take(INOUT _calls svc.call[], _into_held boolean, _is_repeat boolean, OUT _refused json[]) -> record
job.ticket(_job svc.job) -> json
key.create(_hash bytea, _prefix text, _mode text, _account uuid) -> void
key.find(_hash bytea) -> TABLE(account_id uuid, prefix text, mode text, is_suspended boolean)
key.list(_account uuid) -> TABLE(prefix text, mode text, created_at timestamp with time zone)
key.revoke(_account uuid, _prefix text) -> void
lane.depths() -> TABLE(lane text, waiting bigint, running bigint, oldest_seconds double precision)
lane.enqueue(_calls svc.call[]) -> void
lane.enqueue_native(_calls svc.call[]) -> void
lane.enqueue_program(_calls svc.call[]) -> void
lane.enqueue_remote(_calls svc.call[]) -> void
lane.enqueue_thread(_calls svc.call[]) -> void
lane.unlock(_pools text[]) -> void
ledger.check_invariants() -> TABLE(rule text, subject text, detail text)
ledger.statement(_account uuid, _type text, _limit integer, _offset integer) -> json
ledger.totals() -> TABLE(ledger text, amount_micros numeric)
object.expired(_limit integer) -> TABLE(key text)
object.forget(_keys text[]) -> void
object.read(_account uuid, _key text) -> TABLE(size_bytes bigint, content_type text, name text, expires_at timestamp with time zone, is_expired boolean)
object.record_outputs(_account uuid, _job uuid, _objects json) -> void
object.record_upload(_key text, _account uuid, _content_type text, _name text, _hours integer) -> timestamp with time zone
rate.forget(_before bigint) -> void
rate.sync(_counts json) -> json
sender.claim(_chain_id bigint, _address text) -> bigint
sender.note(_chain_id bigint, _address text, _next_nonce bigint) -> void
setting.prices() -> TABLE(service_key text, rate_micros bigint)
setting.read() -> TABLE(name text, value jsonb)
setting.write(_name text, _value jsonb) -> void
setting.write_price(_service_key text, _rate_micros bigint) -> void
worker.beat(_id uuid, _silence_seconds integer) -> json
worker.bury(_ids uuid[]) -> void
worker.join(_id uuid, _host text, _pid integer, _pools text[], _lanes jsonb, _tools jsonb) -> void
worker.leave(_id uuid) -> void
worker.list() -> TABLE(id uuid, host text, pid integer, lanes jsonb, tools jsonb, started_at timestamp with time zone, silent_seconds double precision)
