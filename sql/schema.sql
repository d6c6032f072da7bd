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
account.moved_to  uuid 
account.erased_at  timestamptz 
account.closed_at  timestamptz 
admin.account.id  uuid 
admin.account.name  text 
admin.account.is_test  bool 
admin.account.balance_micros  int8 
admin.account.held_micros  int8 
admin.account.debt_micros  int8 
admin.account.credit_asset  text 
admin.account.created_at  timestamptz 
admin.account.signed_in_at  timestamptz 
admin.account.suspended_at  timestamptz 
admin.account.moved_to  uuid 
admin.account.identities  _text 
admin.account.wallets  _text 
admin.account.lane_share_percent  int4 
admin.account.lane_max_running  int4 
admin.account.lane_urgency  int4 
admin.act.seq  int4 
admin.act.created_at  timestamptz 
admin.act.operator  text 
admin.act.action  text 
admin.act.subject  text 
admin.act.before  jsonb 
admin.act.after  jsonb 
admin.act.reason  text 
admin.act.address  text 
admin.act.hash  text 
admin.api_key.id  text 
admin.api_key.account_id  uuid 
admin.api_key.prefix  text 
admin.api_key.mode  text 
admin.api_key.name  text 
admin.api_key.created_at  timestamptz 
admin.api_key.used_at  timestamptz 
admin.api_key.ends_at  timestamptz 
admin.api_key.revoked_at  timestamptz 
admin.api_key.call_cap_micros  int8 
admin.api_key.daily_cap_micros  int8 
admin.api_key.spent_on  date 
admin.api_key.spent_micros  int8 
admin.api_key.is_connector  bool 
admin.change.id  int8 
admin.change.kind  text 
admin.change.name  text 
admin.change.before  jsonb 
admin.change.after  jsonb 
admin.change.actor  text 
admin.change.state  text 
admin.change.created_at  timestamptz 
admin.change.due_at  timestamptz 
admin.chunk.id  uuid 
admin.chunk.account_id  uuid 
admin.chunk.payer  text 
admin.chunk.chain_id  int8 
admin.chunk.symbol  text 
admin.chunk.amount_micros  int8 
admin.chunk.state  chunk_state 
admin.chunk.is_credited  bool 
admin.chunk.tx_hash  text 
admin.chunk.reason  text 
admin.chunk.valid_before  timestamptz 
admin.chunk.created_at  timestamptz 
admin.chunk.sent_at  timestamptz 
admin.chunk.ended_at  timestamptz 
admin.identity_review.id  uuid 
admin.identity_review.account_id  uuid 
admin.identity_review.created_at  timestamptz 
admin.identity_review.state  text 
admin.identity_review.state_at  timestamptz 
admin.incident.id  uuid 
admin.incident.title  text 
admin.incident.impact  text 
admin.incident.components  _text 
admin.incident.opened_at  timestamptz 
admin.incident.updated_at  timestamptz 
admin.incident.resolved_at  timestamptz 
admin.job.id  uuid 
admin.job.account_id  uuid 
admin.job.service_key  text 
admin.job.lane  text 
admin.job.status  job_status 
admin.job.attempt  int2 
admin.job.lost  int2 
admin.job.crashed  int2 
admin.job.is_async  bool 
admin.job.held_micros  int8 
admin.job.charged_micros  int8 
admin.job.ceiling_micros  int8 
admin.job.asset  text 
admin.job.created_at  timestamptz 
admin.job.started_at  timestamptz 
admin.job.finished_at  timestamptz 
admin.job.deadline_at  timestamptz 
admin.job.worker_id  uuid 
admin.job.ran_ms  int4 
admin.job.idempotency_key  text 
admin.job.progress  jsonb 
admin.job.problem_code  text 
admin.job.problem  jsonb 
admin.job.run_ms  int4 
admin.job.wait_ms  int4 
admin.job.key_prefix  text 
admin.job.refunded_micros  int8 
admin.operator.name  text 
admin.operator.role  operator_role 
admin.operator.has_totp  bool 
admin.operator.passkeys  int8 
admin.operator.created_at  timestamptz 
admin.operator.disabled_at  timestamptz 
admin.operator.seen_at  timestamptz 
admin.plugin.file  text 
admin.plugin.name  text 
admin.plugin.version  text 
admin.plugin.fault  text 
admin.plugin.author_id  uuid 
admin.plugin.share_percent  int4 
admin.plugin.changed_at  timestamptz 
admin.price.service_key  text 
admin.price.rate_micros  int8 
admin.price.base_micros  int8 
admin.price.updated_at  timestamptz 
admin.setting.name  text 
admin.setting.kind  text 
admin.setting.standard  jsonb 
admin.setting.least  float8 
admin.setting.most  float8 
admin.setting.summary  text 
admin.setting.value  jsonb 
admin.setting.is_changed  bool 
admin.setting.updated_at  timestamptz 
admin.step.id  text 
admin.step.name  text 
admin.step.key  text 
admin.step.state  text 
admin.step.attempts  int4 
admin.step.max_attempts  int4 
admin.step.run_at  timestamptz 
admin.step.last_error  text 
admin.step.payload  jsonb 
admin.transfer.id  int8 
admin.transfer.account_id  uuid 
admin.transfer.job_id  uuid 
admin.transfer.kind  transfer_kind 
admin.transfer.amount_micros  int8 
admin.transfer.asset  text 
admin.transfer.service_key  text 
admin.transfer.reference  text 
admin.transfer.created_at  timestamptz 
admin.webhook_delivery.id  uuid 
admin.webhook_delivery.endpoint_id  uuid 
admin.webhook_delivery.event  text 
admin.webhook_delivery.subject_id  uuid 
admin.webhook_delivery.status  delivery_status 
admin.webhook_delivery.attempts  int4 
admin.webhook_delivery.due_at  timestamptz 
admin.webhook_delivery.response_code  int4 
admin.webhook_delivery.error_message  text 
admin.webhook_delivery.created_at  timestamptz 
admin.webhook_delivery.finished_at  timestamptz 
admin.webhook_endpoint.id  uuid 
admin.webhook_endpoint.account_id  uuid 
admin.webhook_endpoint.target_id  uuid 
admin.webhook_endpoint.url  text 
admin.webhook_endpoint.events  _text 
admin.webhook_endpoint.is_active  bool 
admin.webhook_endpoint.disabled_at  timestamptz 
admin.webhook_endpoint.disabled_reason  text 
admin.webhook_endpoint.consecutive_failures  int4 
admin.webhook_endpoint.failing_since  timestamptz 
admin.webhook_endpoint.paused_until  timestamptz 
admin.webhook_endpoint.created_at  timestamptz 
admin.webhook_endpoint.deleted_at  timestamptz 
admin.webhook_endpoint.waiting  int8 
admin.worker.id  uuid 
admin.worker.host  text 
admin.worker.pid  int4 
admin.worker.lanes  jsonb 
admin.worker.tools  jsonb 
admin.worker.started_at  timestamptz 
admin.worker.beat_at  timestamptz 
admin.worker.draining_at  timestamptz 
admin.worker.running  int8 
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
availability.day  date not null
availability.component  text not null
availability.up_minutes  int4 not null
availability.probed_minutes  int4 not null
backup.id  text not null
backup.address  text not null
backup.state  text not null  default 'running'
backup.started_at  timestamptz not null  default now()
backup.ended_at  timestamptz 
backup.reason  text 
backup.counts  jsonb 
balance_alarm.account_id  uuid not null
balance_alarm.limit_micros  int8 not null
balance_alarm.is_told  bool not null  default false
billing_event.id  text not null
billing_event.checkout_id  uuid not null
billing_event.created_at  timestamptz not null  default now()
book_check.id  int8 not null
book_check.started_at  timestamptz not null
book_check.ended_at  timestamptz not null  default clock_timestamp()
book_check.counts  jsonb not null
book_check.fault_count  int4 not null
book_check.faults  jsonb not null
card_refund.id  text not null
card_refund.charge  text not null
card_refund.intent  text not null
card_refund.amount_micros  int8 not null
card_refund.is_failed  bool not null
card_refund.told_at  timestamptz not null  default now()
checkout.id  uuid not null
checkout.account_id  uuid not null
checkout.provider  text not null
checkout.amount_micros  int8 not null
checkout.reference  text 
checkout.created_at  timestamptz not null  default now()
checkout.paid_at  timestamptz 
checkout.intent  text 
checkout.ended  text 
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
early_reversal.id  text not null
early_reversal.intent  text not null
early_reversal.reported_micros  int8 not null
early_reversal.is_closed  bool not null
early_reversal.told_at  timestamptz not null  default now()
entry.transfer_id  int8 
entry.ledger  text 
entry.account_id  uuid 
entry.amount_micros  int8 
entry.asset  text 
entry.created_at  timestamptz 
envelope.id  uuid not null
envelope.account_id  uuid not null
envelope.title  text not null
envelope.terms  json not null
envelope.signing_order  text not null
envelope.timezone  text not null
envelope.reference_id  text 
envelope.metadata  json 
envelope.template_id  uuid 
envelope.template_version  int4 
envelope.batch_id  uuid 
envelope.job_id  uuid 
envelope.charge_micros  int8 not null  default 0
envelope.expires_in_days  int4 not null
envelope.state  text not null  default 'draft'
envelope.state_at  timestamptz not null  default now()
envelope.created_at  timestamptz not null  default now()
envelope.sent_at  timestamptz 
envelope.viewed_at  timestamptz 
envelope.completed_at  timestamptz 
envelope.expires_at  timestamptz 
envelope.resent_at  timestamptz 
envelope.resends  int4 not null  default 0
envelope.baton_id  uuid 
envelope.copied_entries  int4 not null  default 0
envelope.seal  json 
envelope_batch.id  uuid not null
envelope_batch.account_id  uuid not null
envelope_batch.template_id  uuid 
envelope_batch.sends  bool not null
envelope_batch.created_at  timestamptz not null  default now()
envelope_batch.request_hash  text 
envelope_batch.key_hash  bytea 
envelope_batch_row.batch_id  uuid not null
envelope_batch_row.position  int4 not null
envelope_batch_row.envelope_id  uuid 
envelope_batch_row.problem  json 
envelope_field.envelope_id  uuid not null
envelope_field.id  text not null
envelope_field.position  int4 not null
envelope_field.recipient_id  uuid 
envelope_field.spec  json not null
envelope_field.value  json 
envelope_file.envelope_id  uuid not null
envelope_file.position  int4 not null
envelope_file.name  text not null
envelope_file.original  json not null
envelope_file.content  json not null
envelope_file.pages  json not null
envelope_output.envelope_id  uuid not null
envelope_output.kind  text not null
envelope_output.position  int4 not null
envelope_output.name  text not null
envelope_output.object_key  text not null
envelope_output.size_bytes  int8 not null
envelope_output.sha256  text not null
envelope_output.pages  int4 not null
envelope_page.content_key  text not null
envelope_page.account_id  uuid not null
envelope_page.page  int4 not null
envelope_page.width  int4 not null
envelope_page.object_key  text not null
envelope_preparation.id  uuid not null
envelope_preparation.account_id  uuid not null
envelope_preparation.request  json not null
envelope_preparation.result  json 
envelope_preparation.problem  json 
envelope_preparation.created_at  timestamptz not null  default now()
envelope_preparation.expires_at  timestamptz not null  default (now() + '02:00:00')
envelope_recipient.id  uuid not null
envelope_recipient.envelope_id  uuid not null
envelope_recipient.position  int4 not null
envelope_recipient.name  text not null
envelope_recipient.email  text 
envelope_recipient.phone  text 
envelope_recipient.role  text not null
envelope_recipient.turn  int4 not null
envelope_recipient.language  text not null
envelope_recipient.delivery  text not null
envelope_recipient.verification  text not null
envelope_recipient.access_code_hash  bytea 
envelope_recipient.wallet  text 
envelope_recipient.redirect_url  text 
envelope_recipient.message  text 
envelope_recipient.metadata  json 
envelope_recipient.link_nonce  text not null
envelope_recipient.token_hash  bytea not null
envelope_recipient.session_hash  bytea 
envelope_recipient.verified_at  timestamptz 
envelope_recipient.verification_id  uuid 
envelope_recipient.code_hash  bytea 
envelope_recipient.code_until  timestamptz 
envelope_recipient.code_tries  int4 not null  default 0
envelope_recipient.codes_sent  int4 not null  default 0
envelope_recipient.status  text not null  default 'waiting'
envelope_recipient.notified_at  timestamptz 
envelope_recipient.viewed_at  timestamptz 
envelope_recipient.signed_at  timestamptz 
envelope_recipient.decline_reason  text 
envelope_recipient.reassigned_to  uuid 
envelope_recipient.remind_at  timestamptz 
envelope_recipient.reminders_sent  int4 not null  default 0
envelope_recipient.delivery_error  text 
envelope_recipient.consent  json 
envelope_recipient.ip  text 
envelope_recipient.user_agent  text 
envelope_recipient.signature  json 
envelope_recipient.signed_digest  bytea 
envelope_replaced_link.token_hash  bytea not null
envelope_replaced_link.recipient_id  uuid not null
envelope_template.id  uuid not null
envelope_template.account_id  uuid not null
envelope_template.name  text not null
envelope_template.version  int4 not null
envelope_template.created_at  timestamptz not null  default now()
envelope_template.updated_at  timestamptz not null  default now()
envelope_template.deleted_at  timestamptz 
envelope_template_version.template_id  uuid not null
envelope_template_version.version  int4 not null
envelope_template_version.files  json not null
envelope_template_version.roles  json not null
envelope_template_version.fields  json not null
envelope_template_version.defaults  json not null
envelope_template_version.created_at  timestamptz not null  default now()
envelope_upload.id  uuid not null
envelope_upload.envelope_id  uuid not null
envelope_upload.recipient_id  uuid not null
envelope_upload.name  text not null
envelope_upload.content_type  text not null
envelope_upload.size_bytes  int8 not null
envelope_upload.sha256  text not null
envelope_upload.object_key  text not null
envelope_upload.created_at  timestamptz not null  default now()
erasure.id  uuid not null
erasure.accounts  _uuid not null
erasure.began_at  timestamptz not null  default now()
erasure.ended_at  timestamptz 
erasure.found  jsonb not null
erasure.remaining  jsonb 
erasure.files  int8 not null  default 0
erasure.certificate  text 
geocode_memory.key  text not null
geocode_memory.answer  jsonb not null
geocode_memory.expires_at  timestamptz not null
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
identity.id  uuid not null  default gen_random_uuid()
identity.used_at  timestamptz 
incident.id  uuid not null  default gen_random_uuid()
incident.title  text not null
incident.impact  text not null
incident.components  _text not null
incident.opened_at  timestamptz not null  default now()
incident.updated_at  timestamptz not null  default now()
incident.resolved_at  timestamptz 
incident_update.id  int8 not null
incident_update.incident_id  uuid not null
incident_update.state  text not null
incident_update.text  text not null
incident_update.created_at  timestamptz not null  default now()
installation.only_row  bool not null  default true
installation.id  uuid not null  default gen_random_uuid()
installation.quiet_since  timestamptz 
installation.restored_from  text 
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
job.request_hash  bytea 
job.rate  text 
job.inputs  json 
job.traceparent  text 
lane_rule.account_id  uuid not null
lane_rule.share_percent  int4 
lane_rule.max_running  int4 
lane_rule.urgency  int4 not null  default 0
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
operator.id  uuid not null
operator.name  text not null
operator.role  operator_role not null
operator.totp_sealed  text 
operator.totp_step  int8 not null  default 0
operator.created_at  timestamptz not null  default now()
operator.disabled_at  timestamptz 
operator_link.hash  bytea not null
operator_link.operator_id  uuid not null
operator_link.expires_at  timestamptz not null
operator_passkey.id  text not null
operator_passkey.operator_id  uuid not null
operator_passkey.public_key  bytea not null
operator_passkey.counter  int8 not null
operator_passkey.name  text not null
operator_passkey.created_at  timestamptz not null  default now()
operator_passkey.used_at  timestamptz 
operator_session.hash  bytea not null
operator_session.operator_id  uuid not null
operator_session.created_at  timestamptz not null  default now()
operator_session.seen_at  timestamptz not null  default now()
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
plugin.file  text not null
plugin.name  text 
plugin.version  text 
plugin.fault  text 
plugin.fault_version  text 
plugin.author_id  uuid 
plugin.share_percent  int4 
plugin.changed_at  timestamptz not null  default now()
plugin_version.version  text not null
plugin_version.name  text not null
plugin_version.declaration  json not null
plugin_version.code  bytea not null
plugin_version.created_at  timestamptz not null  default now()
plugin_version.retired_at  timestamptz 
price.service_key  text not null
price.rate_micros  int8 not null
price.updated_at  timestamptz not null  default now()
price.base_micros  int8 
probe.minute  timestamptz not null
probe.component  text not null
probe.is_up  bool not null
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
reversal.reported_micros  int8 not null  default 0
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
seal_key.kid  text not null
seal_key.certificate  text not null
seal_key.sealed  text not null
seal_key.root  text not null
seal_key.sealed_root  text not null
seal_key.created_at  timestamptz not null  default clock_timestamp()
seal_key.retired_at  timestamptz 
sender.chain_id  int8 not null
sender.address  text not null
sender.next_nonce  int8 
sender.noted_at  timestamptz not null  default now()
session.hash  bytea not null
session.account_id  uuid not null
session.created_at  timestamptz not null  default now()
session.seen_at  timestamptz not null  default now()
session.operator  text 
session.opened_by  text 
setting.name  text not null
setting.value  jsonb not null
setting.updated_at  timestamptz not null  default now()
setting_change.id  int8 not null
setting_change.kind  text not null
setting_change.name  text not null
setting_change.before  jsonb 
setting_change.after  jsonb 
setting_change.actor  text not null
setting_change.state  text not null
setting_change.created_at  timestamptz not null  default now()
setting_change.due_at  timestamptz not null  default now()
sign_in_link.hash  bytea not null
sign_in_link.email  text 
sign_in_link.account_id  uuid 
sign_in_link.expires_at  timestamptz not null
sign_in_link.operator  text 
signing_key.kid  text not null
signing_key.x  text not null
signing_key.sealed  text not null
signing_key.created_at  timestamptz not null  default clock_timestamp()
signing_key.retired_at  timestamptz 
spend_alarm.account_id  uuid not null
spend_alarm.period  text not null
spend_alarm.limit_micros  int8 not null
spend_alarm.told_for  timestamptz 
transfer.id  int8 not null  default nextval('svc.transfer_number')
transfer.account_id  uuid not null
transfer.job_id  uuid 
transfer.kind  transfer_kind not null
transfer.amount_micros  int8 not null
transfer.asset  text not null  default 'USD'
transfer.service_key  text 
transfer.reference  text 
transfer.created_at  timestamptz not null  default now()
transfer_month.name  text not null
transfer_month.ends_at  timestamptz not null
transfer_month.frozen_at  timestamptz 
transfer_side.kind  transfer_kind not null
transfer_side.debit  text not null
transfer_side.credit  text not null
transition_rule.table_name  text not null
transition_rule.state  text not null
transition_rule.next_states  _text not null
transition_rule.event  text 
tunable.name  text not null
tunable.kind  text not null
tunable.standard  jsonb not null
tunable.least  float8 
tunable.most  float8 
tunable.summary  text not null
tunable.words  jsonb 
used_nonce.nonce  text not null
used_nonce.expires_at  timestamptz not null
wallet.address  text not null
wallet.account_id  uuid not null
wallet.settled_at  timestamptz 
wallet.created_at  timestamptz not null  default now()
wallet.linked_at  timestamptz not null  default now()
wallet.used_at  timestamptz 
wallet_challenge.nonce  text not null
wallet_challenge.address  text not null
wallet_challenge.chain_id  int8 not null
wallet_challenge.domain  text not null
wallet_challenge.expires_at  timestamptz not null
worker.id  uuid not null
worker.host  text not null
worker.pid  int4 not null
worker.pools  _text not null  default '{}'[]
worker.lanes  jsonb not null  default '{}'
worker.tools  jsonb not null  default '[]'
worker.started_at  timestamptz not null  default now()
worker.beat_at  timestamptz not null  default now()
worker.draining_at  timestamptz 
CREATE INDEX account_awaiting ON svc.account (id) WHERE awaits_owner
CREATE INDEX account_moved ON svc.account (moved_to) WHERE (moved_to IS NOT NULL)
CREATE UNIQUE INDEX account_pkey ON svc.account (id)
CREATE INDEX api_key_account ON svc.api_key (account_id)
CREATE UNIQUE INDEX api_key_pkey ON svc.api_key (hash)
CREATE INDEX audit_entry_of_account ON svc.audit_entry (account_id)
CREATE UNIQUE INDEX audit_entry_pkey ON svc.audit_entry (subject_kind, subject_id, seq)
CREATE UNIQUE INDEX availability_pkey ON svc.availability (day, component)
CREATE INDEX backup_started ON svc.backup (started_at)
CREATE UNIQUE INDEX backup_pkey ON svc.backup (id)
CREATE UNIQUE INDEX balance_alarm_pkey ON svc.balance_alarm (account_id)
CREATE UNIQUE INDEX billing_event_pkey ON svc.billing_event (id)
CREATE UNIQUE INDEX book_check_pkey ON svc.book_check (id)
CREATE INDEX card_refund_of_charge ON svc.card_refund (charge)
CREATE INDEX card_refund_of_intent ON svc.card_refund (intent)
CREATE UNIQUE INDEX card_refund_pkey ON svc.card_refund (id)
CREATE INDEX checkout_of_account ON svc.checkout (account_id, created_at DESC)
CREATE UNIQUE INDEX checkout_of_intent ON svc.checkout (intent)
CREATE UNIQUE INDEX checkout_pkey ON svc.checkout (id)
CREATE INDEX chunk_open ON svc.chunk (created_at) WHERE (state = ANY (ARRAY['claimed'::svc.chunk_state, 'pending'::svc.chunk_state, 'sending'::svc.chunk_state, 'unknown'::svc.chunk_state]))
CREATE INDEX chunk_open_of_account ON svc.chunk (account_id) WHERE (state = ANY (ARRAY['claimed'::svc.chunk_state, 'pending'::svc.chunk_state, 'sending'::svc.chunk_state, 'unknown'::svc.chunk_state]))
CREATE UNIQUE INDEX chunk_pkey ON svc.chunk (id)
CREATE INDEX early_reversal_of_intent ON svc.early_reversal (intent)
CREATE UNIQUE INDEX early_reversal_pkey ON svc.early_reversal (id)
CREATE INDEX envelope_of_account ON svc.envelope (account_id, created_at DESC, id)
CREATE INDEX envelope_of_template ON svc.envelope (template_id) WHERE (template_id IS NOT NULL)
CREATE INDEX envelope_to_forget ON svc.envelope (state_at) WHERE (state = ANY (ARRAY['draft'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text]))
CREATE UNIQUE INDEX envelope_pkey ON svc.envelope (id)
CREATE INDEX envelope_batch_of_account ON svc.envelope_batch (account_id, created_at DESC, id)
CREATE INDEX envelope_batch_of_template ON svc.envelope_batch (template_id) WHERE (template_id IS NOT NULL)
CREATE UNIQUE INDEX envelope_batch_pkey ON svc.envelope_batch (id)
CREATE INDEX envelope_batch_row_of_envelope ON svc.envelope_batch_row (envelope_id) WHERE (envelope_id IS NOT NULL)
CREATE UNIQUE INDEX envelope_batch_row_pkey ON svc.envelope_batch_row (batch_id, "position")
CREATE INDEX envelope_field_of_recipient ON svc.envelope_field (recipient_id)
CREATE UNIQUE INDEX envelope_field_pkey ON svc.envelope_field (envelope_id, id)
CREATE INDEX envelope_file_by_content ON svc.envelope_file (((content ->> 'key'::text)))
CREATE INDEX envelope_file_by_original ON svc.envelope_file (((original ->> 'key'::text)))
CREATE UNIQUE INDEX envelope_file_pkey ON svc.envelope_file (envelope_id, "position")
CREATE INDEX envelope_output_by_hash ON svc.envelope_output (sha256)
CREATE UNIQUE INDEX envelope_output_pkey ON svc.envelope_output (envelope_id, kind, "position")
CREATE INDEX envelope_page_of_account ON svc.envelope_page (account_id)
CREATE UNIQUE INDEX envelope_page_pkey ON svc.envelope_page (content_key, page, width)
CREATE INDEX envelope_preparation_by_end ON svc.envelope_preparation (expires_at)
CREATE INDEX envelope_preparation_of_account ON svc.envelope_preparation (account_id)
CREATE UNIQUE INDEX envelope_preparation_pkey ON svc.envelope_preparation (id)
CREATE INDEX envelope_recipient_by_email ON svc.envelope_recipient (lower(email)) WHERE (email IS NOT NULL)
CREATE INDEX envelope_recipient_by_wallet ON svc.envelope_recipient (wallet) WHERE (wallet IS NOT NULL)
CREATE UNIQUE INDEX envelope_recipient_envelope_id_position_key ON svc.envelope_recipient (envelope_id, "position")
CREATE UNIQUE INDEX envelope_recipient_pkey ON svc.envelope_recipient (id)
CREATE UNIQUE INDEX envelope_recipient_token_hash_key ON svc.envelope_recipient (token_hash)
CREATE INDEX envelope_replaced_link_of_recipient ON svc.envelope_replaced_link (recipient_id)
CREATE UNIQUE INDEX envelope_replaced_link_pkey ON svc.envelope_replaced_link (token_hash)
CREATE INDEX envelope_template_of_account ON svc.envelope_template (account_id, created_at DESC, id)
CREATE UNIQUE INDEX envelope_template_pkey ON svc.envelope_template (id)
CREATE UNIQUE INDEX envelope_template_version_pkey ON svc.envelope_template_version (template_id, version)
CREATE INDEX envelope_upload_of_envelope ON svc.envelope_upload (envelope_id)
CREATE INDEX envelope_upload_of_recipient ON svc.envelope_upload (recipient_id)
CREATE UNIQUE INDEX envelope_upload_pkey ON svc.envelope_upload (id)
CREATE UNIQUE INDEX erasure_pkey ON svc.erasure (id)
CREATE INDEX geocode_memory_expires_at_idx ON svc.geocode_memory (expires_at)
CREATE UNIQUE INDEX geocode_memory_pkey ON svc.geocode_memory (key)
CREATE INDEX idempotency_age ON svc.idempotency (created_at)
CREATE UNIQUE INDEX idempotency_pkey ON svc.idempotency (account_id, key)
CREATE INDEX identity_of_account ON svc.identity (account_id)
CREATE UNIQUE INDEX identity_pkey ON svc.identity (provider, subject)
CREATE INDEX incident_age ON svc.incident (opened_at)
CREATE INDEX incident_open ON svc.incident (opened_at) WHERE (resolved_at IS NULL)
CREATE UNIQUE INDEX incident_pkey ON svc.incident (id)
CREATE INDEX incident_update_of_incident ON svc.incident_update (incident_id, id)
CREATE UNIQUE INDEX incident_update_pkey ON svc.incident_update (id)
CREATE UNIQUE INDEX installation_pkey ON svc.installation (only_row)
CREATE INDEX job_in_lane ON svc.job (account_id, lane, id) WHERE (status = ANY (ARRAY['submitted'::svc.job_status, 'running'::svc.job_status]))
CREATE INDEX job_of_account ON svc.job (account_id, id DESC)
CREATE INDEX job_open ON svc.job (deadline_at) WHERE (status = ANY (ARRAY['submitted'::svc.job_status, 'running'::svc.job_status]))
CREATE UNIQUE INDEX job_pkey ON svc.job (id)
CREATE UNIQUE INDEX lane_rule_pkey ON svc.lane_rule (account_id)
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
CREATE UNIQUE INDEX operator_name_key ON svc.operator (name)
CREATE UNIQUE INDEX operator_pkey ON svc.operator (id)
CREATE UNIQUE INDEX operator_link_pkey ON svc.operator_link (hash)
CREATE INDEX operator_passkey_of ON svc.operator_passkey (operator_id)
CREATE UNIQUE INDEX operator_passkey_pkey ON svc.operator_passkey (id)
CREATE INDEX operator_session_of ON svc.operator_session (operator_id)
CREATE UNIQUE INDEX operator_session_pkey ON svc.operator_session (hash)
CREATE INDEX payment_age ON svc.payment (created_at) WHERE (chunk_id IS NULL)
CREATE INDEX payment_of_job ON svc.payment (job_id) WHERE (chunk_id IS NOT NULL)
CREATE UNIQUE INDEX payment_pkey ON svc.payment (chain_id, asset, payer, nonce)
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
CREATE INDEX plugin_author ON svc.plugin (author_id) WHERE (author_id IS NOT NULL)
CREATE UNIQUE INDEX name_is_unique ON svc.plugin (name)
CREATE UNIQUE INDEX plugin_pkey ON svc.plugin (file)
CREATE INDEX plugin_version_retired ON svc.plugin_version (retired_at) WHERE (retired_at IS NOT NULL)
CREATE UNIQUE INDEX plugin_version_pkey ON svc.plugin_version (version)
CREATE UNIQUE INDEX price_pkey ON svc.price (service_key)
CREATE UNIQUE INDEX probe_pkey ON svc.probe (minute, component)
CREATE UNIQUE INDEX provider_turn_pkey ON svc.provider_turn (provider)
CREATE UNIQUE INDEX provider_usage_pkey ON svc.provider_usage (day, provider, model)
CREATE UNIQUE INDEX rate_count_pkey ON svc.rate_count (bucket, window_start)
CREATE INDEX reversal_of_checkout ON svc.reversal (checkout_id)
CREATE UNIQUE INDEX reversal_pkey ON svc.reversal (id)
CREATE UNIQUE INDEX road_current_pkey ON svc.road_current (only_row)
CREATE UNIQUE INDEX road_data_pkey ON svc.road_data (id)
CREATE UNIQUE INDEX road_part_pkey ON svc.road_part (data_id, kind, at)
CREATE UNIQUE INDEX seal_key_current ON svc.seal_key (((retired_at IS NULL))) WHERE (retired_at IS NULL)
CREATE UNIQUE INDEX seal_key_pkey ON svc.seal_key (kid)
CREATE UNIQUE INDEX sender_pkey ON svc.sender (chain_id, address)
CREATE INDEX session_age ON svc.session (seen_at)
CREATE INDEX session_of_account ON svc.session (account_id)
CREATE UNIQUE INDEX session_pkey ON svc.session (hash)
CREATE UNIQUE INDEX setting_pkey ON svc.setting (name)
CREATE INDEX setting_change_due ON svc.setting_change (due_at) WHERE (state = 'scheduled'::text)
CREATE INDEX setting_change_of ON svc.setting_change (kind, name, id DESC)
CREATE UNIQUE INDEX setting_change_pkey ON svc.setting_change (id)
CREATE INDEX sign_in_link_age ON svc.sign_in_link (expires_at)
CREATE UNIQUE INDEX sign_in_link_pkey ON svc.sign_in_link (hash)
CREATE UNIQUE INDEX one_current_signing_key ON svc.signing_key (((retired_at IS NULL))) WHERE (retired_at IS NULL)
CREATE UNIQUE INDEX signing_key_pkey ON svc.signing_key (kid)
CREATE UNIQUE INDEX spend_alarm_pkey ON svc.spend_alarm (account_id, period)
CREATE INDEX transfer_line ON ONLY svc.transfer (account_id, id DESC) WHERE (kind = ANY (ARRAY['topup'::svc.transfer_kind, 'chunk'::svc.transfer_kind, 'link_in'::svc.transfer_kind, 'hold'::svc.transfer_kind, 'charge'::svc.transfer_kind, 'refund'::svc.transfer_kind, 'reversal'::svc.transfer_kind, 'reversal_debt'::svc.transfer_kind, 'share'::svc.transfer_kind, 'share_back'::svc.transfer_kind, 'share_debt'::svc.transfer_kind]))
CREATE INDEX transfer_refund ON ONLY svc.transfer (job_id) WHERE (kind = 'refund'::svc.transfer_kind)
CREATE INDEX transfer_share ON ONLY svc.transfer (job_id) WHERE (kind = ANY (ARRAY['share'::svc.transfer_kind, 'share_back'::svc.transfer_kind, 'share_debt'::svc.transfer_kind]))
CREATE INDEX transfer_step ON ONLY svc.transfer (job_id) WHERE ((kind = 'capture'::svc.transfer_kind) AND (reference IS NOT NULL))
CREATE UNIQUE INDEX transfer_month_pkey ON svc.transfer_month (name)
CREATE UNIQUE INDEX transfer_side_pkey ON svc.transfer_side (kind)
CREATE UNIQUE INDEX transition_rule_pkey ON svc.transition_rule (table_name, state)
CREATE UNIQUE INDEX tunable_pkey ON svc.tunable (name)
CREATE INDEX used_nonce_age ON svc.used_nonce (expires_at)
CREATE UNIQUE INDEX used_nonce_pkey ON svc.used_nonce (nonce)
CREATE INDEX wallet_of_account ON svc.wallet (account_id)
CREATE UNIQUE INDEX wallet_pkey ON svc.wallet (address)
CREATE INDEX wallet_challenge_age ON svc.wallet_challenge (expires_at)
CREATE UNIQUE INDEX wallet_challenge_pkey ON svc.wallet_challenge (nonce)
CREATE UNIQUE INDEX worker_pkey ON svc.worker (id)
account  check CHECK ((balance_micros >= 0))
account  check CHECK ((debt_micros >= 0))
account  check CHECK ((held_micros >= 0))
account  check FOREIGN KEY (moved_to) REFERENCES svc.account(id)
api_key  check CHECK ((call_cap_micros > 0))
api_key  check CHECK ((daily_cap_micros > 0))
api_key  check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
api_key  check CHECK ((spent_micros >= 0))
api_key  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
api_key  check FOREIGN KEY (successor) REFERENCES svc.api_key(hash)
availability  check CHECK ((probed_minutes >= up_minutes))
backup  check CHECK ((state = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text])))
balance_alarm  check CHECK ((limit_micros > 0))
balance_alarm  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
billing_event  check FOREIGN KEY (checkout_id) REFERENCES svc.checkout(id)
card_refund  check CHECK ((amount_micros > 0))
checkout  check CHECK ((amount_micros > 0))
checkout  check CHECK ((ended = ANY (ARRAY['expired'::text, 'failed'::text])))
checkout  check CHECK ((provider = ANY (ARRAY['stripe'::text, 'test'::text])))
checkout  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
chunk  check CHECK ((amount_micros > 0))
early_reversal  check CHECK ((reported_micros >= 0))
envelope  check CHECK ((signing_order = ANY (ARRAY['parallel'::text, 'sequential'::text])))
envelope  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
envelope  check FOREIGN KEY (template_id) REFERENCES svc.envelope_template(id) ON DELETE SET NULL
envelope_batch  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
envelope_batch  check FOREIGN KEY (template_id) REFERENCES svc.envelope_template(id) ON DELETE SET NULL
envelope_batch_row  check FOREIGN KEY (batch_id) REFERENCES svc.envelope_batch(id) ON DELETE CASCADE
envelope_batch_row  check FOREIGN KEY (envelope_id) REFERENCES svc.envelope(id) ON DELETE SET NULL
envelope_field  check FOREIGN KEY (envelope_id) REFERENCES svc.envelope(id) ON DELETE CASCADE
envelope_field  check FOREIGN KEY (recipient_id) REFERENCES svc.envelope_recipient(id) ON DELETE CASCADE
envelope_file  check FOREIGN KEY (envelope_id) REFERENCES svc.envelope(id) ON DELETE CASCADE
envelope_output  check CHECK ((kind = ANY (ARRAY['signed'::text, 'certificate'::text])))
envelope_output  check FOREIGN KEY (envelope_id) REFERENCES svc.envelope(id) ON DELETE CASCADE
envelope_page  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
envelope_recipient  check CHECK ((delivery = ANY (ARRAY['email'::text, 'link'::text, 'none'::text])))
envelope_recipient  check CHECK ((role = ANY (ARRAY['signer'::text, 'witness'::text, 'approver'::text, 'viewer'::text, 'cc'::text])))
envelope_recipient  check CHECK ((status = ANY (ARRAY['waiting'::text, 'notified'::text, 'viewed'::text, 'completed'::text, 'declined'::text, 'reassigned'::text, 'bounced'::text, 'skipped'::text])))
envelope_recipient  check CHECK ((verification = ANY (ARRAY['none'::text, 'email_otp'::text, 'access_code'::text, 'sms_otp'::text, 'wallet'::text, 'idverify'::text])))
envelope_recipient  check FOREIGN KEY (envelope_id) REFERENCES svc.envelope(id) ON DELETE CASCADE
envelope_replaced_link  check FOREIGN KEY (recipient_id) REFERENCES svc.envelope_recipient(id) ON DELETE CASCADE
envelope_template  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
envelope_template_version  check FOREIGN KEY (template_id) REFERENCES svc.envelope_template(id) ON DELETE CASCADE
envelope_upload  check FOREIGN KEY (envelope_id) REFERENCES svc.envelope(id) ON DELETE CASCADE
envelope_upload  check FOREIGN KEY (recipient_id) REFERENCES svc.envelope_recipient(id) ON DELETE CASCADE
erasure  check FOREIGN KEY (id) REFERENCES svc.account(id)
identity  check CHECK ((provider = ANY (ARRAY['email'::text, 'github'::text, 'google'::text])))
identity  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
incident  check CHECK ((impact = ANY (ARRAY['degraded'::text, 'outage'::text, 'maintenance'::text])))
incident_update  check CHECK ((state = ANY (ARRAY['investigating'::text, 'identified'::text, 'monitoring'::text, 'resolved'::text])))
incident_update  check FOREIGN KEY (incident_id) REFERENCES svc.incident(id) ON DELETE CASCADE
installation  check CHECK (only_row)
lane_rule  check CHECK (((share_percent >= 1) AND (share_percent <= 100)))
lane_rule  check CHECK (((urgency >= '-1'::integer) AND (urgency <= 1)))
lane_rule  check CHECK ((max_running > 0))
lane_rule  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
oauth_code  check FOREIGN KEY (connector_id) REFERENCES svc.connector(id)
oauth_token  check CHECK (((used_at IS NULL) OR (kind = 'refresh'::text)))
oauth_token  check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
oauth_token  check FOREIGN KEY (connector_id) REFERENCES svc.connector(id)
object  check CHECK ((kind = ANY (ARRAY['upload'::text, 'output'::text, 'baton'::text, 'lease'::text, 'identity'::text, 'signing'::text])))
operator  check CHECK ((name ~ '^[a-z0-9][a-z0-9._@-]{0,63}$'::text))
operator_link  check FOREIGN KEY (operator_id) REFERENCES svc.operator(id)
operator_passkey  check FOREIGN KEY (operator_id) REFERENCES svc.operator(id)
operator_session  check FOREIGN KEY (operator_id) REFERENCES svc.operator(id)
place  check CHECK (((lat >= ('-90'::integer)::double precision) AND (lat <= (90)::double precision)))
place  check CHECK (((lng >= ('-180'::integer)::double precision) AND (lng <= (180)::double precision)))
place  check CHECK ((kind = ANY (ARRAY['city'::text, 'postcode'::text, 'admin'::text, 'country'::text, 'point'::text])))
place_1  check CHECK (((lat >= ('-90'::integer)::double precision) AND (lat <= (90)::double precision)))
place_1  check CHECK (((lng >= ('-180'::integer)::double precision) AND (lng <= (180)::double precision)))
place_1  check CHECK ((kind = ANY (ARRAY['city'::text, 'postcode'::text, 'admin'::text, 'country'::text, 'point'::text])))
place_current  check CHECK (only_row)
place_current  check FOREIGN KEY (data_id) REFERENCES svc.place_data(id)
plugin  check CHECK (((share_percent >= 1) AND (share_percent <= 100)))
plugin  check CHECK (((version IS NOT NULL) OR (fault IS NOT NULL)))
plugin  check FOREIGN KEY (version) REFERENCES svc.plugin_version(version)
price  check CHECK ((base_micros >= 0))
price  check CHECK ((rate_micros >= 0))
reversal  check CHECK ((reported_micros >= 0))
reversal  check CHECK ((taken_micros >= 0))
reversal  check FOREIGN KEY (checkout_id) REFERENCES svc.checkout(id)
road_current  check CHECK (only_row)
road_current  check FOREIGN KEY (data_id) REFERENCES svc.road_data(id)
road_part  check CHECK ((kind = ANY (ARRAY['ways'::text, 'points'::text, 'graph'::text])))
road_part  check FOREIGN KEY (data_id) REFERENCES svc.road_data(id) ON DELETE CASCADE
sender  check CHECK ((address = lower(address)))
session  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
setting_change  check CHECK ((kind = ANY (ARRAY['setting'::text, 'price'::text])))
setting_change  check CHECK ((state = ANY (ARRAY['applied'::text, 'scheduled'::text, 'cancelled'::text])))
sign_in_link  check CHECK (((email IS NULL) <> (account_id IS NULL)))
sign_in_link  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
spend_alarm  check CHECK ((limit_micros > 0))
spend_alarm  check CHECK ((period = ANY (ARRAY['hour'::text, 'day'::text])))
spend_alarm  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
transfer  check CHECK ((amount_micros > 0))
tunable  check CHECK ((kind = ANY (ARRAY['number'::text, 'boolean'::text, 'list'::text])))
wallet  check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
wallet  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
wallet_challenge  check CHECK ((address = lower(address)))
account.assign_owner() -> trigger
account.await_owner(_account uuid, _is_open boolean) -> void
account.begin_erasure(_account uuid) -> void
account.certify_erasure(_account uuid, _certificate text) -> text
account.claim(_is_test boolean) -> uuid
account.close(_account uuid) -> void
account.count_erased_files(_account uuid, _files integer) -> void
account.count_records(_accounts uuid[]) -> jsonb
account.create(_id uuid, _name text, _is_test boolean) -> uuid
account.credit(_account uuid, _micros bigint, _asset text, _reference text) -> bigint
account.credit_once(_account uuid, _micros bigint, _reference text) -> json
account.end_erasure(_account uuid) -> void
account.erase(_account uuid) -> void
account.export(_account uuid) -> json
account.find_development() -> uuid
account.find_records(_account uuid, _ids uuid[]) -> uuid[]
account.list(_limit integer, _offset integer) -> json
account.list_columns() -> TABLE(oid oid, relname name, attname name)
account.list_joined(_account uuid) -> uuid[]
account.list_objects(_account uuid, _limit integer) -> TABLE(key text)
account.list_record_tables() -> TABLE(oid oid, relname name, condition text)
account.note_asset(_account uuid, _asset text, _kept bigint, _added bigint) -> void
account.read(_account uuid) -> json
account.read_erasure(_account uuid) -> json
account.refuse_addition() -> trigger
account.suspend(_account uuid, _suspended boolean) -> void
admin.cancel_job(_id uuid, _reason text) -> admin.job
admin.change_operator(_name text, _role svc.operator_role, _is_disabled boolean) -> boolean
admin.credit_account(_account uuid, _amount_micros bigint, _reason text, _reference text DEFAULT NULL::text) -> admin.account
admin.doubtful_payments() -> TABLE(state svc.chunk_state, chunks bigint, amount_micros bigint, oldest timestamp with time zone)
admin.drain_worker(_id uuid, _is_draining boolean) -> admin.worker
admin.failures(_from timestamp with time zone, _to timestamp with time zone) -> TABLE(code text, operation text, jobs bigint)
admin.hours(_from timestamp with time zone, _to timestamp with time zone) -> TABLE(hour timestamp with time zone, calls bigint, failed bigint, revenue_micros bigint)
admin.lanes() -> TABLE(lane text, workers bigint, slots bigint, running bigint, waiting bigint, oldest_seconds integer, wait_p95_ms integer, run_p95_ms integer)
admin.limit_key(_account uuid, _prefix text, _call_cap_micros bigint, _daily_cap_micros bigint, _reason text) -> admin.api_key
admin.open_incident(_title text, _impact text, _components text[], _text text) -> admin.incident
admin.plugin_calls(_from timestamp with time zone) -> TABLE(name text, calls bigint, failed bigint, charged_micros bigint, shared_micros bigint)
admin.redeliver(_endpoint uuid, _delivery uuid) -> boolean
admin.refresh_list(_list text) -> boolean
admin.refund_job(_id uuid, _amount_micros bigint, _reason text) -> admin.job
admin.refund_jobs(_account uuid, _operation text, _from timestamp with time zone, _to timestamp with time zone, _amount_micros bigint, _reason text) -> bigint
admin.retry_job(_id uuid) -> admin.job
admin.retry_step(_id text) -> integer
admin.revoke_key(_account uuid, _prefix text, _reason text) -> boolean
admin.set_setting(_name text, _value jsonb, _due timestamp with time zone) -> admin.setting
admin.share_lanes(_account uuid, _share_percent integer, _max_running integer, _urgency integer, _reason text) -> admin.account
admin.slowest(_from timestamp with time zone, _to timestamp with time zone) -> TABLE(operation text, jobs bigint, median_ms integer, p95_ms integer, max_ms integer)
admin.suspend_account(_account uuid, _is_suspended boolean, _reason text) -> admin.account
admin.test_revenue(_from timestamp with time zone, _to timestamp with time zone) -> bigint
admin.undo_change(_id bigint) -> admin.change
admin.update_incident(_id uuid, _state text, _text text) -> admin.incident
admin.verify_log() -> integer
audit.append(_kind text, _subject uuid, _account uuid, _actor text, _action text, _detail jsonb) -> void
audit.erase_account(_account uuid) -> void
audit.erase_subjects(_kind text, _subjects uuid[]) -> void
audit.hash(_entry svc.audit_entry) -> bytea
audit.is_as_written(_entry svc.audit_entry) -> boolean
audit.is_owner(_named uuid, _account uuid) -> boolean
audit.leave(_entry svc.audit_entry, _detail jsonb) -> bytea
audit.list(_account uuid, _kind text, _subject uuid, _after integer, _limit integer) -> json
audit.list_faults() -> TABLE(kind text, subject uuid, seq integer)
audit.read(_account uuid, _kind text, _subject uuid) -> json
audit.refuse_change() -> trigger
audit.text(_entry svc.audit_entry) -> text
audit.verify(_kind text, _subject uuid) -> integer
checkout.check_invariants() -> TABLE(rule text, subject text, detail text)
checkout.claim(_reversal svc.reversal) -> bigint
checkout.finish(_id uuid, _provider text, _how text) -> boolean
checkout.lock(_id uuid) -> svc.checkout
checkout.lock_payment(_intent text) -> svc.checkout
checkout.move(_checkout svc.checkout, _subject text, _micros bigint) -> void
checkout.note(_id uuid, _reference text) -> void
checkout.note_intent(_id uuid, _intent text) -> void
checkout.note_refund(_refund text, _charge text, _intent text, _micros bigint, _is_failed boolean) -> text
checkout.open(_id uuid, _account uuid, _provider text, _micros bigint) -> void
checkout.pay(_id uuid, _provider text, _event text, _micros bigint, _reference text) -> text
checkout.read(_account uuid, _id uuid) -> json
checkout.reverse(_event text, _intent text, _subject text, _micros bigint, _is_closed boolean) -> text
checkout.settle(_checkout svc.checkout, _subject text) -> void
checkout.settle_charge(_checkout svc.checkout, _charge text) -> void
checkout.settle_early(_checkout svc.checkout) -> void
console.change_value(_kind text, _name text, _value jsonb, _due timestamp with time zone) -> void
console.create_operator(_id uuid, _name text, _role svc.operator_role, _link bytea) -> void
console.current_value(_kind text, _name text) -> jsonb
console.find_job(_id uuid) -> admin.job
console.find_key(_account uuid, _prefix text) -> admin.api_key
console.link_operator(_name text, _link bytea) -> void
console.preview_price(_service_key text, _numerator bigint, _denominator bigint, _floor bigint, _ceiling bigint) -> TABLE(day date, calls bigint, revenue_micros bigint, new_micros bigint)
console.record_account(_action text, _account uuid, _before jsonb, _reason text) -> admin.account
console.refund_rest(_id uuid) -> bigint
console.refundable(_account uuid, _operation text, _from timestamp with time zone, _to timestamp with time zone, OUT jobs bigint, OUT amount_micros bigint) -> record
console.require_account(_account uuid) -> jsonb
console.require_reason(_reason text) -> void
console.search_accounts(_text text, _first integer, _offset integer) -> SETOF admin.account
console.search_acts(_operator text, _subject text, _action text, _first integer, _offset integer) -> SETOF admin.act
console.search_jobs(_account uuid, _operation text, _status svc.job_status, _problem text, _lane text, _from timestamp with time zone, _to timestamp with time zone, _first integer, _offset integer) -> SETOF admin.job
console.set_price(_service_key text, _rate_micros bigint, _base_micros bigint, _due timestamp with time zone) -> void
console.usd(_micros numeric) -> text
console.view_account(_account uuid, _link bytea, _reason text) -> void
installation.count_books() -> json
installation.fail_backup(_id text, _reason text) -> void
installation.found(_backup text, _is_quiet boolean) -> void
installation.is_backup_due(_every_hours integer) -> boolean
installation.is_object_required(_key text) -> boolean
installation.is_required(_object svc.object) -> boolean
installation.list_backups(_limit integer) -> TABLE(id text, address text, state text, started_at timestamp with time zone, ended_at timestamp with time zone, reason text, counts jsonb)
installation.list_required_objects(_after text, _limit integer) -> TABLE(key text, size_bytes bigint)
installation.list_rules() -> TABLE(name text)
installation.measure() -> json
installation.measure_webhooks() -> json
installation.read() -> json
installation.read_last_book_check() -> json
installation.record_book_check(_started_at timestamp with time zone, _counts jsonb, _fault_count integer, _faults jsonb) -> void
installation.set_quiet(_is_quiet boolean) -> boolean
installation.start_backup(_id text, _address text) -> void
installation.succeed_backup(_id text, _counts jsonb) -> void
installation.summarise_backups() -> json
job.add_run(_id uuid, _attempt integer, _ran_ms integer) -> integer
job.announce(_ended svc.job[]) -> void
job.announce_batch(_batch json, _is_repeat boolean) -> json
job.answer_earlier(_account uuid, _key text, _fingerprint bytea) -> json
job.begin_attempt(_id uuid, _worker uuid, _is_first boolean) -> TABLE(attempt integer, lost integer)
job.begin_batch(_batch json, _is_repeat boolean) -> json
job.build_closing(_id uuid, _account uuid, _status svc.job_status, _code text) -> svc.closing
job.build_success(_job json, _result json) -> svc.closing
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
job.settle_all(_closings svc.closing[]) -> void
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
key.require_unlimited(_hash bytea) -> void
key.revoke(_account uuid, _prefix text) -> void
key.rotate(_account uuid, _old text, _hash bytea, _prefix text, _mode text, _grace_hours integer) -> void
key.show(_account uuid) -> json
key.spend(_hash bytea, _micros bigint, _call_micros bigint) -> json
key.spend_unlimited(_calls svc.call[]) -> boolean
key.unspend(_ended svc.job[]) -> void
key.use(_hash bytea) -> TABLE(account_id uuid, prefix text, mode text, is_suspended boolean, ends_at timestamp with time zone)
lane.add_native(_calls svc.call[], _places svc.lane_place[]) -> void
lane.add_program(_calls svc.call[], _places svc.lane_place[]) -> void
lane.add_remote(_calls svc.call[], _places svc.lane_place[]) -> void
lane.add_thread(_calls svc.call[], _places svc.lane_place[]) -> void
lane.depths() -> TABLE(lane text, waiting bigint, running bigint, oldest_seconds double precision)
lane.enqueue(_calls svc.call[]) -> void
lane.enqueue_native(_calls svc.call[], _beyond_share uuid[]) -> void
lane.enqueue_program(_calls svc.call[], _beyond_share uuid[]) -> void
lane.enqueue_remote(_calls svc.call[], _beyond_share uuid[]) -> void
lane.enqueue_thread(_calls svc.call[], _beyond_share uuid[]) -> void
lane.find_beyond_share(_calls svc.call[]) -> uuid[]
lane.find_places(_calls svc.call[]) -> svc.lane_place[]
lane.find_rules(_accounts uuid[], _lanes text[]) -> TABLE(account_id uuid, lane text, share integer, most integer, urgency integer)
lane.limit_delay() -> trigger
lane.measure_share(_lane text) -> integer
lane.move_native(_places svc.lane_place[]) -> void
lane.move_program(_places svc.lane_place[]) -> void
lane.move_remote(_places svc.lane_place[]) -> void
lane.move_thread(_places svc.lane_place[]) -> void
lane.place(_id uuid, _rank bigint, _share integer, _most integer, _urgency integer) -> svc.lane_place
lane.promote(_ended svc.job[]) -> void
lane.promote_accounts(_accounts uuid[], _lanes text[], _least integer) -> void
lane.promote_native(_ids uuid[]) -> void
lane.promote_program(_ids uuid[]) -> void
lane.promote_remote(_ids uuid[]) -> void
lane.promote_thread(_ids uuid[]) -> void
lane.read_rule(_account uuid) -> json
lane.read_setting(_name text) -> integer
lane.set_rule(_account uuid, _share_percent integer, _max_running integer, _urgency integer) -> void
lane.unlock_orphans(_known_pools text[]) -> void
lane.unlock_pools(_pools text[]) -> void
lane.unlock_unbegun(_lane text, _pools text[], _begun bigint[]) -> void
ledger.add_key(_name text) -> void
ledger.check_invariants() -> TABLE(rule text, subject text, detail text)
ledger.check_months() -> TABLE(rule text, subject text, detail text)
ledger.find_ended_month() -> text
ledger.line_type(_kind svc.transfer_kind) -> text
ledger.list_steps(_job uuid) -> json
ledger.mark_if_frozen(_name text) -> boolean
ledger.open_month(_name text, _starts_at timestamp with time zone, _ends_at timestamp with time zone) -> void
ledger.open_months(_ahead integer) -> integer
ledger.refund(_job uuid, _micros bigint) -> void
ledger.search(_account uuid, _type text, _from date, _to date, _operation text, _key text, _before bigint, _limit integer, _offset integer) -> json
ledger.totals() -> TABLE(ledger text, amount_micros numeric)
mcp.tell(_message json) -> void
object.count_due() -> bigint
object.drop_outputs(_keys text[]) -> void
object.find_unrecorded(_keys text[]) -> TABLE(key text)
object.forget(_keys text[]) -> void
object.list_expired(_limit integer) -> TABLE(key text)
object.read(_account uuid, _key text) -> TABLE(size_bytes bigint, content_type text, name text, expires_at timestamp with time zone, is_expired boolean)
object.read_all(_account uuid, _keys text[]) -> TABLE(key text, size_bytes bigint, content_type text, name text, expires_at timestamp with time zone, is_expired boolean)
object.record_outputs(_account uuid, _job uuid, _objects json) -> void
object.record_upload(_key text, _account uuid, _content_type text, _name text, _hours integer) -> timestamp with time zone
operator.add_passkey(_hash bytea, _id text, _public_key bytea, _counter bigint, _name text) -> boolean
operator.change(_name text, _role svc.operator_role, _is_disabled boolean) -> void
operator.close_session(_hash bytea) -> void
operator.create(_id uuid, _name text, _role svc.operator_role) -> uuid
operator.create_link(_name text, _hash bytea, _minutes integer) -> void
operator.erase_account(_account uuid) -> void
operator.find(_name text) -> svc.operator
operator.find_by_link(_hash bytea) -> svc.operator
operator.find_passkey(_id text) -> TABLE(operator_id uuid, name text, public_key bytea, counter bigint)
operator.find_session(_hash bytea) -> TABLE(id uuid, name text, role svc.operator_role)
operator.list() -> TABLE(name text, role svc.operator_role, has_totp boolean, passkeys bigint, created_at timestamp with time zone, disabled_at timestamp with time zone, seen_at timestamp with time zone)
operator.log_id() -> uuid
operator.record(_action text, _subject text, _before jsonb, _after jsonb, _reason text) -> void
operator.require(_role svc.operator_role) -> text
operator.require_first_sending() -> void
operator.set_totp(_hash bytea, _sealed text, _step bigint) -> boolean
operator.start_session(_hash bytea, _operator uuid) -> void
operator.use_link(_hash bytea) -> svc.operator
operator.use_passkey(_id text, _counter bigint) -> boolean
operator.use_totp(_operator uuid, _step bigint) -> boolean
operator.without_names(_detail jsonb, _texts text[]) -> jsonb
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
plugin.check_invariants() -> TABLE(rule text, subject text, detail text)
plugin.find_author(_author text) -> uuid
plugin.list() -> TABLE(file text, name text, version text, fault text, fault_version text, author_id uuid, share_percent integer, changed_at timestamp with time zone, declaration json)
plugin.list_authors(_ended svc.job[]) -> uuid[]
plugin.list_returns(_job uuid) -> TABLE(account_id uuid, asset text, service_key text, shared bigint, due bigint, returned bigint)
plugin.list_shared(_job uuid) -> uuid[]
plugin.move_account(_from uuid, _to uuid) -> void
plugin.put(_file text, _plugin json, _code bytea) -> boolean
plugin.read_version(_version text) -> TABLE(name text, declaration json, code bytea)
plugin.refuse(_file text, _version text, _fault text) -> boolean
plugin.remove(_file text, _fault text) -> boolean
plugin.retire() -> void
plugin.share_charges(_ended svc.job[]) -> void
plugin.take_back(_job uuid) -> void
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
session.create_view_link(_hash bytea, _account uuid, _operator text) -> void
session.find(_hash bytea) -> TABLE(account_id uuid, is_test boolean, is_suspended boolean)
session.find_or_create_account(_provider text, _subject text, _email text, _signed_in uuid, _id uuid, _is_test boolean) -> uuid
session.find_view_link(_hash bytea) -> TABLE(account_id uuid, operator text)
session.is_link_valid(_hash bytea) -> boolean
session.list_identities(_account uuid) -> TABLE(provider text, subject text, email text)
session.list_sign_ins(_account uuid) -> TABLE(id text, kind text, name text, masked text, opened_by text, email text, linked_at timestamp with time zone, used_at timestamp with time zone)
session.look_up(_hash bytea) -> TABLE(account_id uuid, is_test boolean, is_suspended boolean, operator text)
session.mask(_name text) -> text
session.note_use(_account uuid, _opened_by text) -> boolean
session.redeem_link(_hash bytea, _id uuid, _is_test boolean) -> TABLE(account_id uuid, opened_by text)
session.remove_sign_in(_account uuid, _id text, _usable text[], _actor text, _acting bytea) -> void
session.start(_hash bytea, _account uuid, _former bytea) -> boolean
session.start(_hash bytea, _account uuid, _former bytea, _opened_by text) -> boolean
session.start_view(_link bytea, _hash bytea) -> boolean
session.tell_addition(_account uuid, _kind text, _name text) -> void
session.tell_removal(_account uuid, _kind text, _name text, _email text) -> void
session.use_link(_hash bytea, _id uuid, _is_test boolean) -> uuid
setting.apply(_kind text, _name text, _value jsonb) -> void
setting.apply_due() -> integer
setting.declare(_tunables json) -> void
setting.find_fault(_name text, _value jsonb) -> text
setting.note(_kind text, _name text, _before jsonb, _after jsonb) -> void
setting.price_value(_rate_micros bigint, _base_micros bigint) -> jsonb
setting.prices() -> TABLE(service_key text, rate_micros bigint)
setting.rates() -> TABLE(service_key text, rate_micros bigint, base_micros bigint)
setting.read() -> TABLE(name text, value jsonb)
setting.write(_name text, _value jsonb) -> void
setting.write_price(_service_key text, _rate_micros bigint) -> void
setting.write_rates(_service_key text, _rate_micros bigint, _base_micros bigint) -> void
status.list_availability(_days integer) -> json
status.list_incidents(_days integer, _limit integer) -> json
status.open_incident(_title text, _impact text, _components text[], _text text) -> uuid
status.record_minutes(_minutes json) -> void
status.require_text(_field text, _text text, _most integer) -> void
status.update_incident(_id uuid, _state text, _text text) -> void
step.count() -> TABLE(state text, steps bigint)
step.count_due(_name text) -> bigint
step.drop(_name text, _keys text[]) -> void
step.erase_failed(_account uuid, _records uuid[], _lasting text[]) -> integer
step.forget_dead(_days integer, _lasting text[], _limit integer) -> bigint
step.list(_limit integer) -> TABLE(id text, name text, key text, state text, attempts integer, max_attempts integer, run_at timestamp with time zone, last_error text, payload json)
step.list_failed_of(_account uuid) -> uuid[]
step.list_ids(_job lane_step._private_jobs) -> uuid[]
step.queue(_name text, _payload json, _run_at timestamp with time zone, _key text) -> void
step.queue_first(_name text, _payload json, _key text) -> void
step.queue_in(_queue text, _name text, _payload json, _run_at timestamp with time zone, _key text) -> void
step.queue_next(_name text, _payload json, _run_at timestamp with time zone, _key text) -> void
step.queue_next_in(_queue text, _name text, _payload json, _run_at timestamp with time zone, _key text) -> void
step.retry(_id bigint) -> integer
step.state_of(_job lane_step._private_jobs) -> text
step.unlock_idle(_pools text[], _running bigint[]) -> void
step.unlock_pools(_pools text[]) -> void
svc.post_words() -> trigger
svc.refuse_change() -> trigger
svc.remove_postings() -> trigger
transition.change(_table regclass, _id uuid, _to text, _actor text, _detail jsonb) -> svc.webhook_emission
transition.declare(_tables json) -> void
transition.guard() -> trigger
transition.move(_table regclass, _id uuid, _to text, _actor text, _detail jsonb) -> void
transition.name_of(_table regclass) -> text
wallet.create_challenge(_nonce text, _address text, _chain bigint, _domain text, _minutes integer) -> timestamp with time zone
wallet.link(_address text, _account uuid) -> bigint
wallet.list(_account uuid) -> TABLE(address text, created_at timestamp with time zone)
wallet.move_products(_from uuid, _to uuid) -> void
wallet.refuse_link(_source svc.account, _target svc.account) -> void
wallet.revoke_tokens(_account uuid) -> void
wallet.take_challenge(_nonce text) -> TABLE(address text, chain_id bigint, domain text)
wallet.token_facts(_account uuid) -> TABLE(token_version integer, is_test boolean, is_suspended boolean)
wallet.use_token(_account uuid, _address text) -> TABLE(token_version integer, is_test boolean, is_suspended boolean)
worker.beat(_id uuid, _silence_seconds integer, _pools text[], _is_thorough boolean) -> json
worker.drain(_id uuid, _is_draining boolean) -> void
worker.is_draining(_id uuid) -> boolean
worker.join(_id uuid, _host text, _pid integer, _pools text[], _lanes jsonb, _tools jsonb) -> void
worker.leave(_id uuid) -> void
worker.list() -> TABLE(id uuid, host text, pid integer, lanes jsonb, tools jsonb, started_at timestamp with time zone, silent_seconds double precision)
worker.reap(_ids uuid[]) -> void
