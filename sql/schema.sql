-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

account.id  uuid not null
account.name  text 
account.is_test  bool not null  default false
account.balance_micros  int8 not null  default 0
account.held_micros  int8 not null  default 0
account.suspended_at  timestamptz 
account.created_at  timestamptz not null  default now()
account.debt_micros  int8 not null  default 0
account.token_version  int4 not null  default 1
account.signed_in_at  timestamptz 
account.awaits_owner  bool not null  default false
account.credit_asset  text not null  default 'USD'
api_key.hash  bytea not null
api_key.prefix  text not null
api_key.mode  text not null
api_key.account_id  uuid not null
api_key.created_at  timestamptz not null  default now()
api_key.revoked_at  timestamptz 
api_key.call_cap_micros  int8 
api_key.daily_cap_micros  int8 
api_key.spent_on  date 
api_key.spent_micros  int8 not null  default 0
api_key.name  text 
api_key.used_at  timestamptz 
api_key.ends_at  timestamptz 
api_key.successor  bytea 
api_key.is_connector  bool not null  default false
audit_entry.subject_kind  text not null
audit_entry.subject_id  uuid not null
audit_entry.seq  int4 not null
audit_entry.account_id  uuid not null
audit_entry.actor  text not null
audit_entry.action  text not null
audit_entry.detail  jsonb not null
audit_entry.created_at  timestamptz not null
audit_entry.previous  bytea 
audit_entry.hash  bytea not null
baton.id  uuid not null
baton.account_id  uuid not null
baton.job_id  uuid not null
baton.preset  text not null
baton.tier  text not null
baton.behaviour  text not null
baton.size_bytes  int8 not null
baton.egress_bytes  int8 not null
baton.max_writes  int8 not null
baton.max_reads  int8 not null
baton.stored_bytes  int8 not null  default 0
baton.egress_used  int8 not null  default 0
baton.writes_used  int8 not null  default 0
baton.reads_used  int8 not null  default 0
baton.terms_version  int4 not null  default 1
baton.entry_count  int8 not null  default 0
baton.chain_head  bytea 
baton.content_type  text 
baton.name  text 
baton.description  text 
baton.tags  _text not null  default '{}'[]
baton.acl  jsonb not null  default '{}'
baton.schema_ref  text 
baton.on_expiration  text not null
baton.burns  bool not null  default false
baton.max_reads_per_minute  int4 
baton.max_writes_per_minute  int4 
baton.minute  int8 not null  default 0
baton.minute_reads  int4 not null  default 0
baton.minute_writes  int4 not null  default 0
baton.quote  json not null
baton.upload_key  text 
baton.upload_until  timestamptz 
baton.created_at  timestamptz not null
baton.expires_at  timestamptz not null
baton.deleted_at  timestamptz 
baton.deletion  text 
baton.purge_at  timestamptz 
baton.witness_prepaid  bool not null  default false
baton.witnessed_at  timestamptz 
baton.tailed_until  timestamptz 
baton_draw.job_id  uuid not null
baton_draw.place  int4 not null
baton_draw.baton_id  uuid not null
baton_draw.object_key  text 
baton_draw.until  timestamptz not null
baton_entry.baton_id  uuid not null
baton_entry.seq  int8 not null
baton_entry.start_byte  int8 not null
baton_entry.size_bytes  int8 not null
baton_entry.content  bytea 
baton_entry.object_key  text 
baton_entry.content_type  text not null
baton_entry.sha256  bytea not null
baton_entry.writer  text not null
baton_entry.prev  bytea 
baton_entry.hash  bytea 
baton_entry.created_at  timestamptz not null
baton_log.id  int8 not null
baton_log.baton_id  uuid not null
baton_log.type  text not null
baton_log.writer  text not null
baton_log.details  json 
baton_log.created_at  timestamptz not null  default clock_timestamp()
baton_token.hash  bytea not null
baton_token.id  uuid not null
baton_token.baton_id  uuid not null
baton_token.type  text not null
baton_token.max_reads  int4 
baton_token.max_writes  int4 
baton_token.reads_used  int4 not null  default 0
baton_token.writes_used  int4 not null  default 0
baton_token.expires_at  timestamptz 
baton_token.needs_fingerprint  bool not null  default false
baton_token.fingerprint  bytea 
baton_token.ip_allow  _inet not null  default '{}'[]
baton_token.revoked_at  timestamptz 
baton_token.created_at  timestamptz not null  default now()
baton_token.covered  int8multirange 
baton_token.covered_seq  int8 
baton_write.baton_id  uuid not null
baton_write.writer  text not null
baton_write.key  text not null
baton_write.fingerprint  bytea not null
baton_write.entry  json not null
baton_write.created_at  timestamptz not null  default now()
billing_event.id  text not null
billing_event.checkout_id  uuid not null
billing_event.created_at  timestamptz not null  default now()
checkout.id  uuid not null
checkout.account_id  uuid not null
checkout.provider  text not null
checkout.amount_micros  int8 not null
checkout.reference  text 
checkout.created_at  timestamptz not null  default now()
checkout.paid_at  timestamptz 
checkout.intent  text 
checkout.ended  text 
checkpoint_version.lease_id  uuid not null
checkpoint_version.version  int4 not null
checkpoint_version.body  bytea not null
checkpoint_version.idempotency_key  text 
checkpoint_version.created_at  timestamptz not null  default now()
checkpoint_version.content_type  text 
chunk.id  uuid not null
chunk.account_id  uuid not null
chunk.payer  text not null
chunk.chain_id  int8 not null
chunk.asset  text not null
chunk.symbol  text not null
chunk.amount_micros  int8 not null
chunk.state  chunk_state not null
chunk.is_credited  bool not null
chunk.sealed  text 
chunk.tx_hash  text 
chunk.reason  text 
chunk.valid_before  timestamptz not null
chunk.created_at  timestamptz not null  default now()
chunk.sent_at  timestamptz 
chunk.ended_at  timestamptz 
connector.id  uuid not null
connector.account_id  uuid not null
connector.client_id  text not null
connector.key_hash  bytea not null
connector.redirect_host  text not null
connector.scopes  _text not null
connector.created_at  timestamptz not null  default now()
connector.approved_at  timestamptz not null  default now()
connector.revoked_at  timestamptz 
entry.transfer_id  int8 
entry.ledger  text 
entry.account_id  uuid 
entry.amount_micros  int8 
entry.asset  text 
entry.created_at  timestamptz 
geocode_memory.key  text not null
geocode_memory.answer  jsonb not null
geocode_memory.expires_at  timestamptz not null
handoff.id  uuid not null
handoff.lease_id  uuid not null
handoff.token_hash  bytea not null
handoff.expires_at  timestamptz not null
handoff.max_claims  int4 not null
handoff.claims  int4 not null  default 0
handoff.pin_hash  bytea 
handoff.pin_faults  int4 not null  default 0
handoff.wallet  text 
handoff.email  text 
handoff.note  text 
handoff.claimed_at  timestamptz 
handoff.revoked_at  timestamptz 
handoff.created_at  timestamptz not null  default now()
handoff.account_id  uuid not null
handoff.state  text not null  default 'issued'
handoff.state_at  timestamptz not null  default now()
handoff_claim.receipt_hash  bytea not null
handoff_claim.handoff_id  uuid not null
handoff_claim.claimed_at  timestamptz not null  default clock_timestamp()
handoff_claim.completed_at  timestamptz 
idempotency.account_id  uuid not null
idempotency.key  text not null
idempotency.fingerprint  bytea not null
idempotency.job_id  uuid not null
idempotency.created_at  timestamptz not null  default now()
identity.provider  text not null
identity.subject  text not null
identity.account_id  uuid not null
identity.email  text 
identity.created_at  timestamptz not null  default now()
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
job.key_hash  bytea 
job.ceiling_micros  int8 
job.asset  text not null  default 'USD'
job.lost  int2 not null  default 0
job.crashed  int2 not null  default 0
job.ran_ms  int4 not null  default 0
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
mailbox_message.lease_id  uuid not null
mailbox_message.id  uuid not null
mailbox_message.body  bytea not null
mailbox_message.size_bytes  int4 not null
mailbox_message.sha256  bytea not null
mailbox_message.content_type  text not null
mailbox_message.filename  text 
mailbox_message.idempotency_key  text 
mailbox_message.received_at  timestamptz not null  default now()
mailbox_message.read_at  timestamptz 
oauth_client.id  text not null
oauth_client.name  text 
oauth_client.redirect_uris  _text not null
oauth_client.is_approved  bool not null  default false
oauth_client.created_at  timestamptz not null  default now()
oauth_client.used_at  timestamptz not null  default now()
oauth_code.hash  bytea not null
oauth_code.connector_id  uuid not null
oauth_code.family  uuid not null
oauth_code.redirect_uri  text not null
oauth_code.challenge  text not null
oauth_code.resource  text not null
oauth_code.scopes  _text not null
oauth_code.expires_at  timestamptz not null
oauth_code.used_at  timestamptz 
oauth_token.hash  bytea not null
oauth_token.kind  text not null
oauth_token.connector_id  uuid not null
oauth_token.family  uuid not null
oauth_token.resource  text not null
oauth_token.scopes  _text not null
oauth_token.created_at  timestamptz not null  default now()
oauth_token.expires_at  timestamptz not null
oauth_token.used_at  timestamptz 
object.key  text not null
object.account_id  uuid not null
object.kind  text not null
object.job_id  uuid 
object.size_bytes  int8 
object.content_type  text 
object.name  text 
object.created_at  timestamptz not null  default now()
object.expires_at  timestamptz not null
payment.chain_id  int8 not null
payment.asset  bytea not null
payment.payer  bytea not null
payment.nonce  bytea not null
payment.account_id  uuid not null
payment.job_id  uuid 
payment.fingerprint  bytea 
payment.chunk_id  uuid 
payment.valid_before  timestamptz not null
payment.created_at  timestamptz not null  default now()
pipeline.account_id  uuid not null
pipeline.name  text not null
pipeline.version  int4 not null
pipeline.definition  json not null
pipeline.created_at  timestamptz not null  default now()
place.data_id  int4 not null
place.id  text not null
place.name  text not null
place.kind  text not null
place.feature  text not null
place.lat  float8 not null
place.lng  float8 not null
place.country  text not null
place.region_code  text 
place.region  text 
place.district  text 
place.population  int8 not null  default 0
place.timezone  text 
place_1.data_id  int4 not null
place_1.id  text not null
place_1.name  text not null
place_1.kind  text not null
place_1.feature  text not null
place_1.lat  float8 not null
place_1.lng  float8 not null
place_1.country  text not null
place_1.region_code  text 
place_1.region  text 
place_1.district  text 
place_1.population  int8 not null  default 0
place_1.timezone  text 
place_current.only_row  bool not null  default true
place_current.data_id  int4 not null
place_data.id  int4 not null
place_data.source  text not null
place_data.attribution  text not null
place_data.data_date  date not null
place_data.is_sample  bool not null  default false
place_data.progress  jsonb not null  default '{}'
place_data.loaded_at  timestamptz 
place_name.data_id  int4 not null
place_name.place_id  text not null
place_name.folded  text not null
place_name.is_main  bool not null
place_name_1.data_id  int4 not null
place_name_1.place_id  text not null
place_name_1.folded  text not null
place_name_1.is_main  bool not null
price.service_key  text not null
price.rate_micros  int8 not null
price.updated_at  timestamptz not null  default now()
price.base_micros  int8 
provider_turn.provider  text not null
provider_turn.next_at  timestamptz not null
provider_usage.day  date not null
provider_usage.provider  text not null
provider_usage.model  text not null
provider_usage.calls  int8 not null  default 0
provider_usage.failed  int8 not null  default 0
provider_usage.input_tokens  int8 not null  default 0
provider_usage.output_tokens  int8 not null  default 0
provider_usage.cost_micros  int8 not null  default 0
rate_count.bucket  text not null
rate_count.window_start  int8 not null
rate_count.used  int4 not null
reversal.id  text not null
reversal.checkout_id  uuid not null
reversal.taken_micros  int8 not null
reversal.is_closed  bool not null
reversal.told_at  timestamptz not null  default now()
road_current.only_row  bool not null  default true
road_current.data_id  int4 not null
road_data.id  int4 not null
road_data.file  text not null
road_data.size_bytes  int8 not null
road_data.attribution  text not null
road_data.data_date  date not null
road_data.progress  jsonb not null  default '{}'
road_data.manifest  jsonb 
road_data.loaded_at  timestamptz 
road_part.data_id  int4 not null
road_part.kind  text not null
road_part.at  int4 not null
road_part.bytes  bytea not null
sender.chain_id  int8 not null
sender.address  text not null
sender.next_nonce  int8 
sender.noted_at  timestamptz not null  default now()
session.hash  bytea not null
session.account_id  uuid not null
session.created_at  timestamptz not null  default now()
session.seen_at  timestamptz not null  default now()
setting.name  text not null
setting.value  jsonb not null
setting.updated_at  timestamptz not null  default now()
sign_in_link.hash  bytea not null
sign_in_link.email  text 
sign_in_link.account_id  uuid 
sign_in_link.expires_at  timestamptz not null
signing_key.kid  text not null
signing_key.x  text not null
signing_key.sealed  text not null
signing_key.created_at  timestamptz not null  default clock_timestamp()
signing_key.retired_at  timestamptz 
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
transition_rule.table_name  text not null
transition_rule.state  text not null
transition_rule.next_states  _text not null
transition_rule.event  text 
used_nonce.nonce  text not null
used_nonce.expires_at  timestamptz not null
vector.baton_id  uuid not null
vector.number  int4 not null
vector.namespace  text not null
vector.id  text not null
vector.metadata  jsonb not null
vector.body  text 
vector.words  jsonb not null
vector.word_count  int4 not null
vector.size_bytes  int4 not null
vector_floats.baton_id  uuid not null
vector_floats.namespace  text not null
vector_floats.number  int4 not null
vector_floats.floats  bytea not null
vector_id.baton_id  uuid not null
vector_id.namespace  text not null
vector_id.id  text not null
vector_id.number  int4 not null
vector_index.baton_id  uuid not null
vector_index.metric  text not null
vector_index.dimensions  int4 
vector_index.model  text 
vector_index.next_number  int4 not null  default 1
vector_index.changes  int8 not null  default 0
vector_namespace.baton_id  uuid not null
vector_namespace.name  text not null
vector_namespace.count  int4 not null
vector_namespace.text_count  int4 not null
vector_namespace.word_count  int8 not null
vector_namespace.last_number  int4 not null
vector_namespace.removed_at  int8 not null
wallet.address  text not null
wallet.account_id  uuid not null
wallet.settled_at  timestamptz 
wallet.created_at  timestamptz not null  default now()
wallet_challenge.nonce  text not null
wallet_challenge.address  text not null
wallet_challenge.chain_id  int8 not null
wallet_challenge.domain  text not null
wallet_challenge.expires_at  timestamptz not null
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
witness.baton_id  uuid not null
witness.account_id  uuid not null
witness.job_id  uuid 
witness.statement  json not null
witness.jws  text not null
witness.witnessed_at  timestamptz not null
witness.retain_until  timestamptz not null
worker.id  uuid not null
worker.host  text not null
worker.pid  int4 not null
worker.pools  _text not null  default '{}'[]
worker.lanes  jsonb not null  default '{}'
worker.tools  jsonb not null  default '[]'
worker.started_at  timestamptz not null  default now()
worker.beat_at  timestamptz not null  default now()
CREATE INDEX account_awaiting ON svc.account (id) WHERE awaits_owner
CREATE UNIQUE INDEX account_pkey ON svc.account (id)
CREATE INDEX api_key_account ON svc.api_key (account_id)
CREATE UNIQUE INDEX api_key_pkey ON svc.api_key (hash)
CREATE INDEX audit_entry_of_account ON svc.audit_entry (account_id)
CREATE UNIQUE INDEX audit_entry_pkey ON svc.audit_entry (subject_kind, subject_id, seq)
CREATE INDEX baton_of_account ON svc.baton (account_id, created_at)
CREATE INDEX baton_of_upload ON svc.baton (upload_key) WHERE (upload_key IS NOT NULL)
CREATE INDEX baton_purge ON svc.baton (purge_at) WHERE (purge_at IS NOT NULL)
CREATE INDEX baton_to_seal ON svc.baton (expires_at) WHERE (witness_prepaid AND (witnessed_at IS NULL) AND (deleted_at IS NULL) AND (purge_at IS NOT NULL) AND ((entry_count > 0) OR (upload_key IS NOT NULL)))
CREATE UNIQUE INDEX baton_pkey ON svc.baton (id)
CREATE INDEX baton_draw_end ON svc.baton_draw (until)
CREATE INDEX baton_draw_of_object ON svc.baton_draw (object_key) WHERE (object_key IS NOT NULL)
CREATE UNIQUE INDEX baton_draw_pkey ON svc.baton_draw (job_id, place)
CREATE UNIQUE INDEX baton_entry_pkey ON svc.baton_entry (baton_id, seq)
CREATE UNIQUE INDEX baton_log_pkey ON svc.baton_log (baton_id, id)
CREATE INDEX baton_token_of_baton ON svc.baton_token (baton_id, created_at)
CREATE UNIQUE INDEX baton_token_pkey ON svc.baton_token (hash)
CREATE INDEX baton_write_age ON svc.baton_write (created_at)
CREATE UNIQUE INDEX baton_write_pkey ON svc.baton_write (baton_id, writer, key)
CREATE UNIQUE INDEX billing_event_pkey ON svc.billing_event (id)
CREATE INDEX checkout_of_account ON svc.checkout (account_id, created_at DESC)
CREATE UNIQUE INDEX checkout_of_intent ON svc.checkout (intent)
CREATE UNIQUE INDEX checkout_pkey ON svc.checkout (id)
CREATE UNIQUE INDEX checkpoint_version_pkey ON svc.checkpoint_version (lease_id, version)
CREATE INDEX chunk_open ON svc.chunk (created_at) WHERE (state = ANY (ARRAY['claimed'::svc.chunk_state, 'pending'::svc.chunk_state, 'sending'::svc.chunk_state, 'unknown'::svc.chunk_state]))
CREATE INDEX chunk_open_of_account ON svc.chunk (account_id) WHERE (state = ANY (ARRAY['claimed'::svc.chunk_state, 'pending'::svc.chunk_state, 'sending'::svc.chunk_state, 'unknown'::svc.chunk_state]))
CREATE UNIQUE INDEX chunk_pkey ON svc.chunk (id)
CREATE UNIQUE INDEX connector_key_hash_key ON svc.connector (key_hash)
CREATE UNIQUE INDEX connector_of_client ON svc.connector (account_id, client_id) WHERE (revoked_at IS NULL)
CREATE UNIQUE INDEX connector_pkey ON svc.connector (id)
CREATE INDEX geocode_memory_expires_at_idx ON svc.geocode_memory (expires_at)
CREATE UNIQUE INDEX geocode_memory_pkey ON svc.geocode_memory (key)
CREATE INDEX handoff_of_lease ON svc.handoff (lease_id)
CREATE UNIQUE INDEX handoff_pkey ON svc.handoff (id)
CREATE UNIQUE INDEX handoff_token_hash_key ON svc.handoff (token_hash)
CREATE INDEX handoff_claim_of_handoff ON svc.handoff_claim (handoff_id)
CREATE UNIQUE INDEX handoff_claim_pkey ON svc.handoff_claim (receipt_hash)
CREATE INDEX idempotency_age ON svc.idempotency (created_at)
CREATE UNIQUE INDEX idempotency_pkey ON svc.idempotency (account_id, key)
CREATE INDEX identity_of_account ON svc.identity (account_id)
CREATE UNIQUE INDEX identity_pkey ON svc.identity (provider, subject)
CREATE INDEX job_in_lane ON svc.job (account_id, lane, id) WHERE (status = ANY (ARRAY['submitted'::svc.job_status, 'running'::svc.job_status]))
CREATE INDEX job_of_account ON svc.job (account_id, id DESC)
CREATE INDEX job_open ON svc.job (deadline_at) WHERE (status = ANY (ARRAY['submitted'::svc.job_status, 'running'::svc.job_status]))
CREATE UNIQUE INDEX job_pkey ON svc.job (id)
CREATE INDEX lease_claimed ON svc.lease (claimed_at) WHERE ((claimed_at IS NOT NULL) AND (ended_at IS NULL))
CREATE INDEX lease_expiry ON svc.lease (expires_at) WHERE (ended_at IS NULL)
CREATE INDEX lease_of_account ON svc.lease (account_id, kind, created_at DESC)
CREATE INDEX lease_tombstone ON svc.lease (ended_at) WHERE (ended_at IS NOT NULL)
CREATE UNIQUE INDEX lease_of_drop_token ON svc.lease (drop_token_hash) WHERE (drop_token_hash IS NOT NULL)
CREATE UNIQUE INDEX lease_of_workflow ON svc.lease (account_id, workflow_id) WHERE ((workflow_id IS NOT NULL) AND (ended_at IS NULL))
CREATE UNIQUE INDEX lease_pkey ON svc.lease (id)
CREATE UNIQUE INDEX lease_content_pkey ON svc.lease_content (lease_id)
CREATE UNIQUE INDEX mailbox_message_of_key ON svc.mailbox_message (lease_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)
CREATE UNIQUE INDEX mailbox_message_pkey ON svc.mailbox_message (lease_id, id)
CREATE INDEX oauth_client_age ON svc.oauth_client (is_approved, used_at)
CREATE UNIQUE INDEX oauth_client_pkey ON svc.oauth_client (id)
CREATE INDEX oauth_code_age ON svc.oauth_code (expires_at)
CREATE INDEX oauth_code_of_connector ON svc.oauth_code (connector_id)
CREATE UNIQUE INDEX oauth_code_pkey ON svc.oauth_code (hash)
CREATE INDEX oauth_token_age ON svc.oauth_token (expires_at)
CREATE INDEX oauth_token_of_connector ON svc.oauth_token (connector_id)
CREATE INDEX oauth_token_of_family ON svc.oauth_token (family)
CREATE UNIQUE INDEX oauth_token_pkey ON svc.oauth_token (hash)
CREATE INDEX object_expiry ON svc.object (expires_at)
CREATE UNIQUE INDEX object_pkey ON svc.object (key)
CREATE INDEX payment_age ON svc.payment (created_at) WHERE (chunk_id IS NULL)
CREATE UNIQUE INDEX payment_pkey ON svc.payment (chain_id, asset, payer, nonce)
CREATE UNIQUE INDEX pipeline_pkey ON svc.pipeline (account_id, name, version)
CREATE INDEX place_point_idx ON ONLY svc.place USING gist (point(lng, lat))
CREATE UNIQUE INDEX place_pkey ON ONLY svc.place (data_id, id)
CREATE INDEX place_1_point_idx ON svc.place_1 USING gist (point(lng, lat))
CREATE UNIQUE INDEX place_1_pkey ON svc.place_1 (data_id, id)
CREATE UNIQUE INDEX place_current_pkey ON svc.place_current (only_row)
CREATE UNIQUE INDEX place_data_pkey ON svc.place_data (id)
CREATE INDEX place_name_data_id_place_id_idx ON ONLY svc.place_name (data_id, place_id)
CREATE INDEX place_name_folded_idx ON ONLY svc.place_name USING gin (folded gin_trgm_ops)
CREATE UNIQUE INDEX place_name_pkey ON ONLY svc.place_name (data_id, folded, place_id)
CREATE INDEX place_name_1_data_id_place_id_idx ON svc.place_name_1 (data_id, place_id)
CREATE INDEX place_name_1_folded_idx ON svc.place_name_1 USING gin (folded gin_trgm_ops)
CREATE UNIQUE INDEX place_name_1_pkey ON svc.place_name_1 (data_id, folded, place_id)
CREATE UNIQUE INDEX price_pkey ON svc.price (service_key)
CREATE UNIQUE INDEX provider_turn_pkey ON svc.provider_turn (provider)
CREATE UNIQUE INDEX provider_usage_pkey ON svc.provider_usage (day, provider, model)
CREATE UNIQUE INDEX rate_count_pkey ON svc.rate_count (bucket, window_start)
CREATE INDEX reversal_of_checkout ON svc.reversal (checkout_id)
CREATE UNIQUE INDEX reversal_pkey ON svc.reversal (id)
CREATE UNIQUE INDEX road_current_pkey ON svc.road_current (only_row)
CREATE UNIQUE INDEX road_data_pkey ON svc.road_data (id)
CREATE UNIQUE INDEX road_part_pkey ON svc.road_part (data_id, kind, at)
CREATE UNIQUE INDEX sender_pkey ON svc.sender (chain_id, address)
CREATE INDEX session_age ON svc.session (seen_at)
CREATE INDEX session_of_account ON svc.session (account_id)
CREATE UNIQUE INDEX session_pkey ON svc.session (hash)
CREATE UNIQUE INDEX setting_pkey ON svc.setting (name)
CREATE INDEX sign_in_link_age ON svc.sign_in_link (expires_at)
CREATE UNIQUE INDEX sign_in_link_pkey ON svc.sign_in_link (hash)
CREATE UNIQUE INDEX one_current_signing_key ON svc.signing_key (((retired_at IS NULL))) WHERE (retired_at IS NULL)
CREATE UNIQUE INDEX signing_key_pkey ON svc.signing_key (kid)
CREATE INDEX transfer_line ON svc.transfer (account_id, id DESC) WHERE (kind = ANY (ARRAY['topup'::svc.transfer_kind, 'chunk'::svc.transfer_kind, 'link_in'::svc.transfer_kind, 'hold'::svc.transfer_kind, 'charge'::svc.transfer_kind, 'refund'::svc.transfer_kind, 'reversal'::svc.transfer_kind, 'reversal_debt'::svc.transfer_kind]))
CREATE INDEX transfer_step ON svc.transfer (job_id) WHERE ((kind = 'capture'::svc.transfer_kind) AND (reference IS NOT NULL))
CREATE UNIQUE INDEX transfer_pkey ON svc.transfer (id)
CREATE UNIQUE INDEX transfer_side_pkey ON svc.transfer_side (kind)
CREATE UNIQUE INDEX transition_rule_pkey ON svc.transition_rule (table_name, state)
CREATE INDEX used_nonce_age ON svc.used_nonce (expires_at)
CREATE UNIQUE INDEX used_nonce_pkey ON svc.used_nonce (nonce)
CREATE UNIQUE INDEX vector_pkey ON svc.vector (baton_id, namespace, number)
CREATE UNIQUE INDEX vector_floats_pkey ON svc.vector_floats (baton_id, namespace, number)
CREATE UNIQUE INDEX vector_id_pkey ON svc.vector_id (baton_id, namespace, id)
CREATE UNIQUE INDEX vector_index_pkey ON svc.vector_index (baton_id)
CREATE UNIQUE INDEX vector_namespace_pkey ON svc.vector_namespace (baton_id, name)
CREATE INDEX wallet_of_account ON svc.wallet (account_id)
CREATE UNIQUE INDEX wallet_pkey ON svc.wallet (address)
CREATE INDEX wallet_challenge_age ON svc.wallet_challenge (expires_at)
CREATE UNIQUE INDEX wallet_challenge_pkey ON svc.wallet_challenge (nonce)
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
CREATE INDEX witness_retain_until ON svc.witness (retain_until)
CREATE UNIQUE INDEX witness_pkey ON svc.witness (baton_id)
CREATE UNIQUE INDEX worker_pkey ON svc.worker (id)
account  check CHECK ((balance_micros >= 0))
account  check CHECK ((debt_micros >= 0))
account  check CHECK ((held_micros >= 0))
api_key  check CHECK ((call_cap_micros > 0))
api_key  check CHECK ((daily_cap_micros > 0))
api_key  check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
api_key  check CHECK ((spent_micros >= 0))
api_key  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
api_key  check FOREIGN KEY (successor) REFERENCES svc.api_key(hash)
baton  check CHECK (((stored_bytes <= size_bytes) AND (egress_used <= egress_bytes) AND (reads_used <= max_reads) AND (writes_used <= max_writes)))
baton_entry  check CHECK ((num_nonnulls(content, object_key) = 1))
baton_token  check CHECK (((max_reads IS NULL) OR (reads_used <= max_reads)))
baton_token  check CHECK (((max_writes IS NULL) OR (writes_used <= max_writes)))
baton_token  check CHECK ((type = ANY (ARRAY['read'::text, 'write'::text, 'read_write'::text])))
billing_event  check FOREIGN KEY (checkout_id) REFERENCES svc.checkout(id)
checkout  check CHECK ((amount_micros > 0))
checkout  check CHECK ((ended = ANY (ARRAY['expired'::text, 'failed'::text])))
checkout  check CHECK ((provider = ANY (ARRAY['stripe'::text, 'test'::text])))
checkout  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
chunk  check CHECK ((amount_micros > 0))
connector  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
connector  check FOREIGN KEY (key_hash) REFERENCES svc.api_key(hash)
handoff  check CHECK ((claims <= max_claims))
handoff  check CHECK ((max_claims > 0))
identity  check CHECK ((provider = ANY (ARRAY['email'::text, 'github'::text, 'google'::text])))
identity  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
lease  check CHECK (((kind = 'checkpoint'::svc.lease_kind) = (workflow_id IS NOT NULL)))
lease  check CHECK (((kind = 'mailbox'::svc.lease_kind) = (capacity_bytes IS NOT NULL)))
lease  check CHECK (((message_count >= 0) AND (message_count <= COALESCE(max_messages, 0))))
lease  check CHECK (((used_bytes >= 0) AND (used_bytes <= COALESCE(capacity_bytes, (0)::bigint))))
lease  check CHECK ((max_body_bytes > 0))
lease_content  check CHECK ((size_bytes > 0))
oauth_code  check FOREIGN KEY (connector_id) REFERENCES svc.connector(id)
oauth_token  check CHECK (((used_at IS NULL) OR (kind = 'refresh'::text)))
oauth_token  check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
oauth_token  check FOREIGN KEY (connector_id) REFERENCES svc.connector(id)
object  check CHECK ((kind = ANY (ARRAY['upload'::text, 'output'::text, 'baton'::text, 'lease'::text])))
pipeline  check CHECK ((version > 0))
pipeline  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
place  check CHECK (((lat >= ('-90'::integer)::double precision) AND (lat <= (90)::double precision)))
place  check CHECK (((lng >= ('-180'::integer)::double precision) AND (lng <= (180)::double precision)))
place  check CHECK ((kind = ANY (ARRAY['city'::text, 'postcode'::text, 'admin'::text, 'country'::text, 'point'::text])))
place_1  check CHECK (((lat >= ('-90'::integer)::double precision) AND (lat <= (90)::double precision)))
place_1  check CHECK (((lng >= ('-180'::integer)::double precision) AND (lng <= (180)::double precision)))
place_1  check CHECK ((kind = ANY (ARRAY['city'::text, 'postcode'::text, 'admin'::text, 'country'::text, 'point'::text])))
place_current  check CHECK (only_row)
place_current  check FOREIGN KEY (data_id) REFERENCES svc.place_data(id)
price  check CHECK ((base_micros >= 0))
price  check CHECK ((rate_micros >= 0))
reversal  check CHECK ((taken_micros >= 0))
reversal  check FOREIGN KEY (checkout_id) REFERENCES svc.checkout(id)
road_current  check CHECK (only_row)
road_current  check FOREIGN KEY (data_id) REFERENCES svc.road_data(id)
road_part  check CHECK ((kind = ANY (ARRAY['ways'::text, 'points'::text, 'graph'::text])))
road_part  check FOREIGN KEY (data_id) REFERENCES svc.road_data(id) ON DELETE CASCADE
sender  check CHECK ((address = lower(address)))
session  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
sign_in_link  check CHECK (((email IS NULL) <> (account_id IS NULL)))
sign_in_link  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
transfer  check CHECK ((amount_micros > 0))
vector_index  check CHECK ((metric = ANY (ARRAY['cosine'::text, 'dot'::text, 'l2'::text])))
wallet  check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
wallet  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
wallet_challenge  check CHECK ((address = lower(address)))
webhook_delivery  check CHECK (((status = 'PENDING'::svc.delivery_status) = (due_at IS NOT NULL)))
webhook_endpoint  check CHECK ((consecutive_failures >= 0))
account.await_owner(_account uuid, _is_open boolean) -> void
account.claim(_is_test boolean) -> uuid
account.close(_account uuid) -> void
account.create(_id uuid, _name text, _is_test boolean) -> uuid
account.credit(_account uuid, _micros bigint, _asset text, _reference text) -> bigint
account.erase(_account uuid) -> void
account.export(_account uuid) -> json
account.list(_limit integer, _offset integer) -> json
account.list_objects(_account uuid, _limit integer) -> TABLE(key text)
account.note_asset(_account uuid, _asset text, _kept bigint, _added bigint) -> void
account.read(_account uuid) -> json
account.suspend(_account uuid, _suspended boolean) -> void
audit.append(_kind text, _subject uuid, _account uuid, _actor text, _action text, _detail jsonb) -> void
audit.erase_account(_account uuid) -> void
audit.erase_subjects(_kind text, _subjects uuid[]) -> void
audit.hash(_entry svc.audit_entry) -> bytea
audit.read(_account uuid, _kind text, _subject uuid) -> json
audit.refuse_change() -> trigger
audit.verify(_kind text, _subject uuid) -> integer
baton.add_fields(_result text, _fields jsonb, _warnings text) -> json
baton.add_warning(_warnings text, _code text) -> text
baton.admit(_by json, _action text) -> svc.baton_visit
baton.admit_token(_token svc.baton_token, _by json, _action text) -> svc.baton_token
baton.adopt_upload(_id uuid, _upload_key text, _written json) -> text
baton.change_token(_by json, _hash bytea, _change jsonb) -> json
baton.check_invariants() -> TABLE(rule text, subject text, detail text)
baton.check_writable(_by json) -> json
baton.consume_part(_visit svc.baton_visit, _bytes bigint) -> svc.baton
baton.consume_read(_visit svc.baton_visit, _bytes bigint) -> svc.baton
baton.count_minute(_baton svc.baton, _use text) -> svc.baton
baton.cover(_token svc.baton_token, _seq bigint, _first bigint, _last bigint, _total bigint) -> boolean
baton.create(_job json, _spec json, _content bytea, _result json) -> void
baton.delete(_by json) -> json
baton.deliver(_account uuid, _job uuid, _delivery json, _content bytea) -> jsonb
baton.draw(_job uuid, _until timestamp with time zone, _sources json) -> void
baton.emit(_baton svc.baton, _event text, _payload json) -> void
baton.end_reads(_baton svc.baton, _token svc.baton_token) -> void
baton.end_tokens(_baton svc.baton, _writer text) -> void
baton.erase_account(_account uuid) -> void
baton.export_account(_account uuid) -> json
baton.extend(_job json, _id uuid, _addition json) -> json
baton.find_purge_time(_on_expiration text, _end timestamp with time zone) -> timestamp with time zone
baton.find_removal_time(_key text, _grace interval) -> timestamp with time zone
baton.find_source(_by json, _ask json) -> TABLE(baton_id uuid, seq bigint, total bigint, content bytea, object_key text)
baton.find_upload(_key text) -> json
baton.find_write(_baton uuid, _writer text, _idempotency json) -> json
baton.finish_delivery(_ending json, _result text, _warnings text, _delivery json, _content bytea) -> boolean
baton.forget_upload(_baton svc.baton) -> void
baton.format_time(_time timestamp with time zone) -> text
baton.hash_entry(_entry svc.baton_entry) -> bytea
baton.hash_origin(_id uuid, _created_at timestamp with time zone) -> bytea
baton.insert_new(_account uuid, _job uuid, _spec json, _content bytea) -> void
baton.insert_token(_baton uuid, _token json) -> void
baton.is_log(_baton svc.baton) -> boolean
baton.join_log(_baton uuid, _total bigint, _first bigint, _length bigint) -> bytea
baton.list_account(_account uuid, _limit integer, _offset integer) -> json
baton.list_entries(_by json, _filter json) -> json
baton.list_logs(_by json, _filter json) -> json
baton.list_pieces(_baton uuid, _after bigint, _first bigint, _last bigint) -> TABLE(seq bigint, start_byte bigint, size_bytes bigint, content bytea, object_key text)
baton.list_tokens(_by json) -> json
baton.mint_token(_by json, _token json, _max integer) -> json
baton.miss_upload(_id uuid, _upload_key text) -> void
baton.note_token_use(_baton svc.baton, _token svc.baton_token, _use text, _is_exhausted boolean) -> void
baton.purge(_limit integer) -> integer
baton.put_entry(_baton svc.baton, _writer text, _content bytea, _written json) -> svc.baton_entry
baton.read(_by json, _ask json) -> json
baton.read_account(_account uuid, _id uuid) -> json
baton.read_list(_list json) -> text[]
baton.read_meta(_by json) -> json
baton.read_terms(_id uuid) -> json
baton.refuse(_code text, _hints json DEFAULT NULL::json) -> void
baton.refuse_empty(_baton svc.baton) -> void
baton.require_active(_baton svc.baton) -> void
baton.require_adopted(_baton svc.baton, _by json) -> void
baton.require_entries(_baton svc.baton) -> void
baton.require_readable(_baton svc.baton, _token svc.baton_token, _bytes bigint) -> void
baton.require_role(_baton svc.baton, _account text, _action text) -> text
baton.require_writable(_baton svc.baton, _token svc.baton_token, _written json) -> void
baton.reserve(_account uuid, _key text, _size bigint, _type text, _until timestamp with time zone) -> void
baton.return_part(_by json, _id uuid, _bytes bigint, _first bigint, _last bigint) -> void
baton.return_read(_by json, _id uuid, _bytes bigint) -> void
baton.settle(_job json, _result json) -> void
baton.show(_baton svc.baton) -> json
baton.show_entry(_entry svc.baton_entry) -> json
baton.show_meta(_baton svc.baton) -> json
baton.show_quotas(_baton svc.baton) -> json
baton.show_token(_token svc.baton_token) -> json
baton.show_upload(_baton svc.baton) -> json
baton.summarize(_baton svc.baton) -> json
baton.update_meta(_by json, _change jsonb) -> json
baton.use(_use json) -> json
baton.use_batch(_batch json) -> SETOF json
baton.wake_tails(_baton svc.baton) -> void
baton.write(_by json, _content bytea, _written json) -> json
checkout.check_invariants() -> TABLE(rule text, subject text, detail text)
checkout.finish(_id uuid, _provider text, _how text) -> boolean
checkout.lock(_id uuid) -> svc.checkout
checkout.move(_checkout svc.checkout, _subject text, _micros bigint) -> void
checkout.note(_id uuid, _reference text) -> void
checkout.note_intent(_id uuid, _intent text) -> void
checkout.open(_id uuid, _account uuid, _provider text, _micros bigint) -> void
checkout.pay(_id uuid, _provider text, _event text, _micros bigint, _reference text) -> text
checkout.read(_account uuid, _id uuid) -> json
checkout.reverse(_event text, _intent text, _subject text, _micros bigint, _is_closed boolean) -> text
checkpoint.buy(_job json, _fields json, _seconds integer, _body bytea) -> json
checkpoint.export_account(_account uuid) -> json
checkpoint.find(_account uuid, _workflow text) -> svc.lease
checkpoint.list(_account uuid, _limit integer, _offset integer) -> json
checkpoint.list_versions(_account uuid, _workflow text, _limit integer) -> json
checkpoint.load(_account uuid, _workflow text, _version integer) -> TABLE(body bytea, version integer, sha256 text, content_type text, updated_at timestamp with time zone, expires_at timestamp with time zone)
checkpoint.lock(_account uuid, _workflow text) -> svc.lease
checkpoint.remove(_account uuid, _workflow text) -> void
checkpoint.view_version(_lease svc.lease, _version svc.checkpoint_version) -> json
checkpoint.write(_account uuid, _workflow text, _body bytea, _if_version integer, _if_sha text, _key text, _keep integer, _type text) -> json
connector.add_token(_hash bytea, _kind text, _connector svc.connector, _family uuid, _resource text, _scopes text[], _seconds integer) -> void
connector.approve(_account uuid, _id uuid, _key bytea, _code bytea, _approval jsonb, _seconds integer) -> void
connector.check_invariants() -> TABLE(rule text, subject text)
connector.end_family(_family uuid) -> void
connector.erase_account(_account uuid) -> void
connector.export_account(_account uuid) -> json
connector.find_client(_id text) -> TABLE(name text, redirect_uris text[])
connector.forget_expired(_limit integer) -> integer
connector.limit(_account uuid, _id uuid, _daily_cap bigint) -> void
connector.redeem_code(_code bytea, _request jsonb, _access bytea, _refresh bytea, _access_seconds integer, _refresh_seconds integer) -> json
connector.refresh(_token bytea, _request jsonb, _access bytea, _refresh bytea, _access_seconds integer, _refresh_seconds integer) -> json
connector.register_client(_id text, _name text, _redirect_uris text[], _max_waiting integer) -> void
connector.revoke(_account uuid, _id uuid) -> void
connector.revoke_token(_hash bytea, _client text) -> void
connector.show(_account uuid) -> json
connector.use_token(_hash bytea) -> TABLE(account_id uuid, is_suspended boolean, mode text, prefix text, key_hash bytea, scopes text[], resource text, expires_at timestamp with time zone)
handoff.claim(_token bytea, _account uuid, _pin bytea, _receipt bytea, _is_repeat boolean) -> json
handoff.complete_claim(_receipt bytea) -> void
handoff.count_claim(_handoff svc.handoff) -> void
handoff.expire(_id uuid) -> void
handoff.export_account(_account uuid) -> json
handoff.issue(_account uuid, _id uuid, _handoff json) -> json
handoff.preview(_token bytea) -> json
handoff.read(_account uuid, _id uuid, _revokes boolean) -> json
handoff.require_claimable(_handoff svc.handoff) -> void
handoff.require_claimant(_handoff svc.handoff, _account uuid) -> void
handoff.view(_handoff svc.handoff, _lease svc.lease) -> json
job.add_run(_id uuid, _attempt integer, _ran_ms integer) -> integer
job.announce(_ended svc.job[]) -> void
job.answer_earlier(_account uuid, _key text, _fingerprint bytea) -> json
job.begin_attempt(_id uuid, _worker uuid, _is_first boolean) -> TABLE(attempt integer, lost integer)
job.begin_batch(_batch json, _is_repeat boolean) -> json
job.build_closing(_id uuid, _account uuid, _status svc.job_status, _code text) -> svc.closing
job.cancel(_account uuid, _id uuid) -> text
job.capture_steps(_ended svc.job[]) -> void
job.close(_closings svc.closing[]) -> svc.job[]
job.end_attempt(_id uuid, _attempt integer, _has_crashed boolean) -> integer
job.expire() -> integer
job.find_earlier(_account uuid, _key text, _fingerprint bytea) -> TABLE(verdict text, job_id uuid, status svc.job_status, result json, charged_micros bigint)
job.find_open(_ids uuid[]) -> TABLE(id uuid)
job.finish_batch(_batch json, _is_repeat boolean) -> json
job.first_id(_at timestamp with time zone) -> uuid
job.forget_results(_older_than interval) -> integer
job.instant_batch(_batch json, _is_repeat boolean) -> json
job.intake_batch(_batch json, _is_repeat boolean) -> json
job.list(_account uuid, _status svc.job_status, _limit integer, _offset integer) -> json
job.outcomes(_ids uuid[]) -> json
job.parse_calls(_batch json) -> svc.call[]
job.raise_hold(_id uuid, _attempt integer, _micros bigint) -> boolean
job.read(_account uuid, _id uuid) -> json
job.refuse_early(_ord bigint, _id uuid, _account uuid, _key text, _fingerprint bytea, _is_suspended boolean) -> json
job.refuse_over_limit(_ord bigint, _key_hash bytea, _micros bigint) -> json
job.report_progress(_id uuid, _attempt integer, _progress json) -> void
job.run_now(_id uuid) -> text
job.search(_account uuid, _status svc.job_status, _from date, _to date, _operation text, _key text, _limit integer, _offset integer) -> json
job.settle(_job json, _result json) -> void
job.spend_by_day(_account uuid, _days integer) -> json
job.switch_account(_from uuid, _spent bigint, _into_held boolean, _to uuid, OUT _balance bigint, OUT _debt bigint, OUT _is_suspended boolean) -> record
job.take_calls(INOUT _calls svc.call[], _into_held boolean, _is_repeat boolean, OUT _answers json[]) -> record
job.take_in_turn(_calls svc.call[], _into_held boolean, OUT _taken svc.call[], OUT _answers json[]) -> record
job.take_plain(_calls svc.call[], _into_held boolean) -> boolean
job.ticket(_job svc.job) -> json
job.without_recorded(_calls svc.call[]) -> svc.call[]
key.change(_account uuid, _prefix text, _change jsonb) -> void
key.create(_hash bytea, _prefix text, _mode text, _account uuid, _name text, _call_cap bigint, _daily_cap bigint) -> void
key.current_hint(_account uuid) -> text
key.drop(_account uuid, _prefix text) -> void
key.find_counted(_hash bytea) -> bytea
key.find_owner(_hash bytea) -> TABLE(account_id uuid, prefix text, mode text, is_suspended boolean, is_capped boolean)
key.is_valid(_key svc.api_key) -> boolean
key.list_names(_account uuid) -> TABLE(prefix text, name text, is_valid boolean)
key.require_room(_account uuid) -> void
key.revoke(_account uuid, _prefix text) -> void
key.rotate(_account uuid, _old text, _hash bytea, _prefix text, _mode text, _grace_hours integer) -> void
key.show(_account uuid) -> json
key.spend(_hash bytea, _micros bigint, _call_micros bigint) -> json
key.spend_unlimited(_calls svc.call[]) -> boolean
key.unspend(_ended svc.job[]) -> void
key.use(_hash bytea) -> TABLE(account_id uuid, prefix text, mode text, is_suspended boolean, ends_at timestamp with time zone)
lane.depths() -> TABLE(lane text, waiting bigint, running bigint, oldest_seconds double precision)
lane.enqueue(_calls svc.call[]) -> void
lane.enqueue_native(_calls svc.call[], _beyond_share uuid[]) -> void
lane.enqueue_program(_calls svc.call[], _beyond_share uuid[]) -> void
lane.enqueue_remote(_calls svc.call[], _beyond_share uuid[]) -> void
lane.enqueue_thread(_calls svc.call[], _beyond_share uuid[]) -> void
lane.find_beyond_share(_calls svc.call[]) -> uuid[]
lane.limit_delay() -> trigger
lane.measure_share(_lane text) -> integer
lane.promote(_ended svc.job[]) -> void
lane.promote_native(_ids uuid[]) -> void
lane.promote_program(_ids uuid[]) -> void
lane.promote_remote(_ids uuid[]) -> void
lane.promote_thread(_ids uuid[]) -> void
lane.unlock_orphans(_known_pools text[]) -> void
lane.unlock_pools(_pools text[]) -> void
lane.unlock_unbegun(_lane text, _pools text[], _begun bigint[]) -> void
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
lease.open(_lease svc.lease) -> void
lease.prepare(_fields json, _seconds integer) -> svc.lease
lease.require_usable(_lease svc.lease, _account uuid) -> void
ledger.check_invariants() -> TABLE(rule text, subject text, detail text)
ledger.line_type(_kind svc.transfer_kind) -> text
ledger.list_steps(_job uuid) -> json
ledger.search(_account uuid, _type text, _from date, _to date, _operation text, _key text, _before bigint, _limit integer, _offset integer) -> json
ledger.totals() -> TABLE(ledger text, amount_micros numeric)
location.activate(_data integer) -> integer
location.activate_roads(_data integer, _manifest jsonb, _parts integer) -> void
location.add_partitions(_data integer) -> void
location.answer(_asks jsonb) -> json
location.around(_ask jsonb) -> SETOF location.hit
location.begin_load(_source text, _attribution text, _date date) -> jsonb
location.begin_roads_load(_file text, _size_bytes bigint, _attribution text, _date date) -> jsonb
location.boxes_around(_lat double precision, _lng double precision, _radius_m double precision) -> SETOF box
location.current() -> integer
location.current_roads() -> jsonb
location.distance(_lat double precision, _lng double precision, _to_lat double precision, _to_lng double precision) -> double precision
location.distance_from(_ask jsonb, _place svc.place) -> double precision
location.find(_ask jsonb) -> SETOF location.hit
location.fits(_place svc.place, _ask jsonb) -> boolean
location.fold(_text text) -> text
location.road_part(_data integer, _kind text, _at integer) -> bytea
location.show(_hit location.hit) -> json
location.store(_data integer, _places jsonb, _file text, _lines bigint) -> void
location.store_roads(_data integer, _kind text, _at integer, _bytes bytea, _progress jsonb) -> void
mailbox.buy(_job json, _fields json, _seconds integer, _token_hash bytea, _webhook json) -> json
mailbox.drop_message(_token_hash bytea, _body bytea, _type text, _filename text, _key text) -> json
mailbox.export_account(_account uuid) -> json
mailbox.find(_account uuid, _id uuid) -> svc.lease
mailbox.list(_account uuid, _limit integer, _offset integer) -> json
mailbox.list_messages(_account uuid, _id uuid, _after uuid, _is_unread boolean, _limit integer) -> json
mailbox.lock(_account uuid, _id uuid) -> svc.lease
mailbox.read(_account uuid, _id uuid) -> json
mailbox.read_drop_terms(_token_hash bytea) -> json
mailbox.read_message(_account uuid, _id uuid, _message uuid, _is_marked boolean) -> TABLE(body bytea, content_type text, filename text, sha256 text, received_at timestamp with time zone, expires_at timestamp with time zone)
mailbox.remove(_account uuid, _id uuid) -> void
mailbox.remove_message(_account uuid, _id uuid, _message uuid) -> void
mailbox.require_room(_lease svc.lease, _bytes integer) -> void
mailbox.rotate_drop_token(_account uuid, _id uuid, _token_hash bytea) -> json
mailbox.view(_lease svc.lease) -> json
mailbox.view_receipt(_lease svc.lease, _message svc.mailbox_message) -> json
object.drop_outputs(_keys text[]) -> void
object.find_unrecorded(_keys text[]) -> TABLE(key text)
object.forget(_keys text[]) -> void
object.list_expired(_limit integer) -> TABLE(key text)
object.read(_account uuid, _key text) -> TABLE(size_bytes bigint, content_type text, name text, expires_at timestamp with time zone, is_expired boolean)
object.record_outputs(_account uuid, _job uuid, _objects json) -> void
object.record_upload(_key text, _account uuid, _content_type text, _name text, _hours integer) -> timestamp with time zone
payment.answer_repeat(_seen svc.payment, _fingerprint bytea, _ord bigint, _taken svc.call[]) -> json
payment.book_in_credit(_call svc.call, _answer json) -> svc.call
payment.check_invariants() -> TABLE(rule text, subject text, detail text)
payment.chunk_micros() -> bigint
payment.claim(_batch json) -> json
payment.credit(_account uuid, _chunk svc.chunk) -> bigint
payment.credit_drawn(_pay json, _tx text) -> boolean
payment.delete_expired() -> integer
payment.find_repeats(_calls svc.call[], OUT _ords bigint[], OUT _duplicates bigint[], OUT _chunk_micros bigint) -> record
payment.find_wallet(_address text) -> TABLE(account_id uuid, is_known boolean, is_suspended boolean)
payment.finish_batch(_drawn svc.call[], _is_due boolean) -> void
payment.forget_key(_id uuid) -> void
payment.fund_call(_call svc.call, _left bigint, _taken svc.call[], _is_duplicate boolean, OUT _gained bigint, OUT _answer json, OUT _is_due boolean) -> record
payment.has_claim(_account uuid) -> boolean
payment.is_seen(_pay json) -> boolean
payment.is_unspent(_seen svc.payment, _call svc.call) -> boolean
payment.list_unresolved(_age interval, _limit integer) -> json
payment.lock_chunk(_id uuid) -> svc.chunk
payment.mark_failed(_id uuid, _reason text) -> boolean
payment.mark_settled(_id uuid, _tx text) -> boolean
payment.mark_unknown(_id uuid, _tx text) -> boolean
payment.max_open_chunks() -> integer
payment.may_open(_call svc.call, _owes boolean) -> boolean
payment.note(_call svc.call, _chunk uuid) -> void
payment.note_credit(_chunk svc.chunk) -> void
payment.open_chunk(_call svc.call, _state svc.chunk_state, _is_credited boolean) -> uuid
payment.open_wallet(_address text, _id uuid, _is_test boolean) -> uuid
payment.repay(_account uuid, _available bigint) -> bigint
payment.resume(_seen svc.payment, _call svc.call) -> json
payment.row_of(_pay json) -> svc.payment
payment.spend_on(_seen svc.payment, _job uuid) -> void
payment.take_due(_limit integer) -> json
payment.use_nonce(_nonce text, _expires_at timestamp with time zone) -> boolean
pipeline.describe(_pipeline svc.pipeline) -> json
pipeline.erase_account(_account uuid) -> void
pipeline.export_account(_account uuid) -> json
pipeline.find(_account uuid, _name text, _version integer) -> json
pipeline.list(_account uuid, _name text, _limit integer, _offset integer) -> TABLE(name text, version integer, created_at timestamp with time zone, description text)
pipeline.move(_from uuid, _to uuid) -> void
pipeline.remove(_account uuid, _name text) -> integer
pipeline.save(_account uuid, _name text, _definition json, _max integer) -> json
provider.count(_provider text, _model text, _is_ok boolean, _input bigint, _output bigint, _cost_micros bigint) -> void
provider.keep(_key text, _answer jsonb, _days integer) -> void
provider.recall(_key text) -> jsonb
provider.take_turn(_provider text, _interval_ms double precision, _max_wait_ms integer) -> double precision
provider.usage(_days integer) -> TABLE(day text, provider text, model text, calls bigint, failed bigint, input_tokens bigint, output_tokens bigint, cost_micros bigint)
rate.forget(_before bigint) -> void
rate.sync(_counts json) -> json
sender.claim(_chain_id bigint, _address text) -> bigint
sender.note(_chain_id bigint, _address text, _next_nonce bigint) -> void
session.close(_hash bytea) -> void
session.create_link(_hash bytea, _email text, _account uuid, _minutes integer) -> void
session.find(_hash bytea) -> TABLE(account_id uuid, is_test boolean, is_suspended boolean)
session.find_or_create_account(_provider text, _subject text, _email text, _signed_in uuid, _id uuid, _is_test boolean) -> uuid
session.is_link_valid(_hash bytea) -> boolean
session.list_identities(_account uuid) -> TABLE(provider text, subject text, email text)
session.start(_hash bytea, _account uuid, _former bytea) -> boolean
session.use_link(_hash bytea, _id uuid, _is_test boolean) -> uuid
setting.prices() -> TABLE(service_key text, rate_micros bigint)
setting.rates() -> TABLE(service_key text, rate_micros bigint, base_micros bigint)
setting.read() -> TABLE(name text, value jsonb)
setting.write(_name text, _value jsonb) -> void
setting.write_price(_service_key text, _rate_micros bigint) -> void
setting.write_rates(_service_key text, _rate_micros bigint, _base_micros bigint) -> void
step.count() -> TABLE(state text, steps bigint)
step.count_due(_name text) -> bigint
step.list(_limit integer) -> TABLE(id text, name text, key text, state text, attempts integer, max_attempts integer, run_at timestamp with time zone, last_error text, payload json)
step.queue(_name text, _payload json, _run_at timestamp with time zone, _key text) -> void
step.retry(_id bigint) -> integer
step.state_of(_job lane_step._private_jobs) -> text
step.unlock_pools(_pools text[]) -> void
storage.buy(_job json, _fields json, _seconds integer, _content json) -> json
storage.drop_contents(_ids uuid[], _grace interval) -> void
storage.export_account(_account uuid) -> json
storage.find(_account uuid, _id uuid, _is_locked boolean) -> svc.lease
storage.list(_account uuid, _limit integer, _offset integer) -> json
storage.put_content(_lease svc.lease, _content json) -> void
storage.read(_account uuid, _id uuid) -> json
storage.read_content(_id uuid, _content json) -> svc.lease_content
storage.remove(_account uuid, _id uuid) -> void
storage.reserve_content(_account uuid, _key text, _type text) -> void
storage.view(_lease svc.lease, _content svc.lease_content) -> json
storage.write(_account uuid, _id uuid, _content json, _if_version integer, _if_sha text) -> json
svc.refuse_change() -> trigger
transition.declare(_tables json) -> void
transition.guard() -> trigger
transition.move(_table regclass, _id uuid, _to text, _actor text, _detail jsonb) -> void
transition.name_of(_table regclass) -> text
vector.admit(_by json, _action text) -> svc.baton_visit
vector.admit_change(_by json) -> svc.baton_visit
vector.check(_by json, _action text) -> void
vector.check_invariants() -> TABLE(rule text, subject text, detail text)
vector.count_all(_baton uuid) -> bigint
vector.delete(_by json, _ask json) -> json
vector.erase_batons(_batons uuid[]) -> void
vector.export_account(_account uuid) -> json
vector.fetch(_baton uuid, _namespace text, _numbers integer[], _with json) -> TABLE(number integer, id text, metadata json, body text, floats bytea, shown_bytes integer)
vector.find(_baton uuid, _namespace text, _id text) -> svc.vector
vector.find_candidates(_baton uuid, _namespace text, _filter text, _group text) -> TABLE(numbers bytea, groups bytea)
vector.find_existing(_baton uuid, _namespace text, _batch json) -> json
vector.find_model(_by json) -> text
vector.finish_query(_job json, _by json, _bytes bigint, _result json) -> json
vector.freeze_terms(_baton uuid, _batch json) -> svc.vector_index
vector.insert_items(_index svc.vector_index, _batch json, _found json, _values bytea) -> json
vector.list_numbers(_baton uuid, _namespace text) -> bytea
vector.load(_baton uuid, _namespace text, _after integer, _until integer, _limit integer) -> TABLE(numbers bytea, floats bytea)
vector.measure(_dimensions integer, _metadata jsonb, _body text) -> integer
vector.open(_by json, _ask json) -> json
vector.open_namespace(_index svc.vector_index, _name text) -> svc.vector_namespace
vector.purge(_batons uuid[], _limit integer) -> uuid[]
vector.rank_words(_baton uuid, _namespace text, _filter text, _words text[], _limit integer) -> bytea
vector.read(_by json, _ask json) -> json
vector.record_change(_visit svc.baton_visit, _type text, _bytes bigint, _count integer) -> svc.baton
vector.remove(_baton uuid, _namespace text, _numbers integer[]) -> json
vector.require_model(_index svc.vector_index, _text_model text) -> void
vector.require_room(_baton uuid, _dimensions integer) -> void
vector.show(_baton uuid) -> json
vector.stats(_by json) -> json
vector.update(_by json, _ask json) -> json
vector.upsert(_job json, _by json, _batch json, _values bytea) -> json
wallet.create_challenge(_nonce text, _address text, _chain bigint, _domain text, _minutes integer) -> timestamp with time zone
wallet.link(_address text, _account uuid) -> bigint
wallet.list(_account uuid) -> TABLE(address text, created_at timestamp with time zone)
wallet.refuse_link(_source svc.account, _target svc.account) -> void
wallet.revoke_tokens(_account uuid) -> void
wallet.take_challenge(_nonce text) -> TABLE(address text, chain_id bigint, domain text)
wallet.token_facts(_account uuid) -> TABLE(token_version integer, is_test boolean, is_suspended boolean)
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
webhook.update(_account uuid, _id uuid, _change jsonb) -> json
webhook.view(_endpoint svc.webhook_endpoint) -> json
webhook.view_delivery(_delivery svc.webhook_delivery) -> jsonb
witness.add_first_key(_kid text, _x text, _sealed text) -> json
witness.admit(_by json) -> svc.baton
witness.check_entries(_baton uuid, _from json, _last bigint, _limit integer, _is_full boolean) -> json
witness.current_key() -> json
witness.describe(_baton svc.baton) -> json
witness.erase_account(_account uuid) -> void
witness.export_account(_account uuid) -> json
witness.forget(_limit integer) -> integer
witness.freeze(_baton svc.baton, _job uuid, _writer text, _record json) -> void
witness.is_due(_baton svc.baton) -> boolean
witness.list_due(_limit integer) -> json
witness.list_due_uploads(_limit integer) -> json
witness.list_headers(_by json, _max integer) -> json
witness.list_keys() -> json
witness.prepare(_by json) -> json
witness.read_chain(_by json) -> json
witness.read_proof(_by json) -> json
witness.record(_job json, _by json, _version bigint, _record json, _result json) -> boolean
witness.record_due(_id uuid, _version bigint, _record json) -> boolean
witness.replace_key(_kid text, _x text, _sealed text) -> json
witness.require_sealable(_baton svc.baton) -> void
witness.show_key(_key svc.signing_key) -> json
worker.beat(_id uuid, _silence_seconds integer, _pools text[], _is_thorough boolean) -> json
worker.join(_id uuid, _host text, _pid integer, _pools text[], _lanes jsonb, _tools jsonb) -> void
worker.leave(_id uuid) -> void
worker.list() -> TABLE(id uuid, host text, pid integer, lanes jsonb, tools jsonb, started_at timestamp with time zone, silent_seconds double precision)
worker.reap(_ids uuid[]) -> void
