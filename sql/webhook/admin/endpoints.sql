-- Webhooks as operators see them, without what signs them.

create view admin.webhook_endpoint as
  select e.id, e.account_id, e.target_id, e.url, e.events, e.is_active, e.disabled_at, e.disabled_reason, e.consecutive_failures,
    e.failing_since, e.paused_until, e.created_at, e.deleted_at,
    (select count(*) from svc.webhook_delivery d where d.endpoint_id = e.id and d.due_at is not null) as waiting
  from svc.webhook_endpoint e;
comment on view admin.webhook_endpoint is E'@primaryKey id\n@foreignKey (account_id) references admin.account (id)|@fieldName account|@foreignFieldName webhooks\n@behavior +attribute:filterBy\nWhere events are sent.';

create view admin.webhook_delivery as
  select d.id, d.endpoint_id, d.event, d.subject_id, d.status, d.attempts, d.due_at, d.response_code, d.error_message, d.created_at,
    d.finished_at
  from svc.webhook_delivery d;
comment on view admin.webhook_delivery is E'@primaryKey id\n@foreignKey (endpoint_id) references admin.webhook_endpoint (id)|@fieldName endpoint|@foreignFieldName deliveries\n@behavior +attribute:filterBy\nOne event for one endpoint.';

-- Sends a delivery again, under the same id.
create or replace function admin.redeliver(_endpoint uuid, _delivery uuid) returns boolean language plpgsql volatile as $$
begin
  perform operator.require('support');
  perform webhook.redeliver((select e.account_id from svc.webhook_endpoint e where e.id = _endpoint), _endpoint, _delivery);
  perform operator.record('webhook.redeliver', _delivery::text, null, null, null);
  return true;
end $$;
