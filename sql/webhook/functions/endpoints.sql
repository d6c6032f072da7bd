-- Webhook endpoints as their owners manage them. Whatever changes the deliveries of an endpoint locks its row first.
create or replace function webhook.view(_endpoint svc.webhook_endpoint) returns json language sql stable as $$
  select json_build_object('id', _endpoint.id, 'url', _endpoint.url, 'events', _endpoint.events,
    'description', _endpoint.description, 'active', _endpoint.is_active,
    'consecutiveFailures', _endpoint.consecutive_failures, 'disabledReason', _endpoint.disabled_reason,
    'formerSecretUntil', case when _endpoint.former_until > now() then _endpoint.former_until end,
    'createdAt', _endpoint.created_at, 'updatedAt', _endpoint.updated_at)
$$;

-- Registers an endpoint; an account may have `_max` of its own, and a target as many as its product allows.
create or replace function webhook.register(_id uuid, _account uuid, _target uuid, _url text, _events text[], _description text,
  _secret text, _max integer) returns json language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint;
begin
  perform from svc.account where id = _account for no key update;
  if (select count(*) from svc.webhook_endpoint e where e.deleted_at is null
      and case when _target is null then e.account_id = _account and e.target_id is null else e.target_id = _target end) >= _max then
    raise exception 'TOO_MANY_WEBHOOKS' using errcode = 'SVC01', detail = json_build_object('limit', _max)::text;
  end if;
  insert into svc.webhook_endpoint (id, account_id, target_id, url, events, description, secret)
    values (_id, _account, _target, _url, _events, _description, _secret) returning * into _endpoint;
  return webhook.view(_endpoint);
end $$;

create or replace function webhook.list(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(webhook.view(e) order by e.created_at, e.id), '[]') from svc.webhook_endpoint e
  where e.account_id = _account and e.target_id is null and e.deleted_at is null
$$;

-- Locks an endpoint of an account. Raises NOT_FOUND.
create or replace function webhook.lock(_account uuid, _id uuid) returns svc.webhook_endpoint language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint;
begin
  select * into _endpoint from svc.webhook_endpoint
    where id = _id and account_id = _account and target_id is null and deleted_at is null for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _endpoint;
end $$;

create or replace function webhook.read(_account uuid, _id uuid) returns json language sql stable as $$
  select webhook.view(e) from svc.webhook_endpoint e
  where e.id = _id and e.account_id = _account and e.target_id is null and e.deleted_at is null
$$;

-- Changes what `_change` names. A new address, or enabling it again, forgets the failures before. What waits for an endpoint
-- that is disabled has failed, and can be sent again later. What is being sent while it is enabled is taken back, so that the answer
-- to it, which may be of before and come late, disables nothing.
create or replace function webhook.update(_account uuid, _id uuid, _change jsonb) returns json language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint := webhook.lock(_account, _id);
  _is_active boolean := coalesce((_change ->> 'active')::boolean, _endpoint.is_active);
begin
  if _change ->> 'url' <> _endpoint.url or (_is_active and not _endpoint.is_active) then
    perform webhook.forget_failures(_id);
  end if;
  update svc.webhook_endpoint e set url = coalesce(_change ->> 'url', e.url), is_active = _is_active, updated_at = now(),
    description = case when _change ? 'description' then _change ->> 'description' else e.description end,
    events = case when _change ? 'events' then array(select jsonb_array_elements_text(_change -> 'events')) else e.events end,
    disabled_at = case when _is_active then null else e.disabled_at end,
    disabled_reason = case when _is_active then null else e.disabled_reason end
    where e.id = _id returning * into _endpoint;
  if not _is_active then
    perform webhook.fail_waiting(_id, 'The webhook was disabled.');
  elsif (_change ->> 'active')::boolean then
    update svc.webhook_delivery set worker_id = null, due_at = clock_timestamp() where endpoint_id = _id and worker_id is not null;
  end if;
  perform webhook.schedule(_id);
  return webhook.view(_endpoint);
end $$;

create or replace function webhook.forget_failures(_id uuid) returns void language sql as $$
  update svc.webhook_endpoint set consecutive_failures = 0, failing_since = null, doubted_since = null, pause_seconds = 0,
    paused_until = null, concurrency = 1, is_prompt = false
  where id = _id
$$;

create or replace function webhook.fail_waiting(_id uuid, _reason text) returns void language sql as $$
  update svc.webhook_delivery set status = 'FAILED', due_at = null, worker_id = null, error_message = _reason, finished_at = now()
  where endpoint_id = _id and due_at is not null
$$;

-- Deletes an endpoint; its deliveries can still be listed until they are too old.
create or replace function webhook.delete(_account uuid, _id uuid) returns void language plpgsql as $$
begin
  perform webhook.lock(_account, _id);
  update svc.webhook_endpoint set deleted_at = now(), is_active = false, secret = '', former_secret = null, former_until = null
    where id = _id;
  perform webhook.fail_waiting(_id, 'The webhook was deleted.');
  perform webhook.schedule(_id);
end $$;

-- Gives an endpoint a new secret. The one before signs as well for some time.
create or replace function webhook.rotate(_account uuid, _id uuid, _secret text, _overlap_seconds integer) returns json
language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint := webhook.lock(_account, _id);
begin
  update svc.webhook_endpoint e set former_secret = case when _overlap_seconds > 0 then e.secret end,
    former_until = case when _overlap_seconds > 0 then now() + make_interval(secs => _overlap_seconds) end,
    secret = _secret, updated_at = now()
    where e.id = _id returning * into _endpoint;
  return webhook.view(_endpoint);
end $$;

create or replace function webhook.view_delivery(_delivery svc.webhook_delivery) returns jsonb language sql stable as $$
  select jsonb_build_object('id', _delivery.id, 'webhookId', _delivery.endpoint_id, 'event', _delivery.event,
    'subjectId', _delivery.subject_id, 'sequence', _delivery.sequence, 'status', _delivery.status,
    'attempts', _delivery.attempts, 'responseCode', _delivery.response_code, 'errorMessage', _delivery.error_message,
    'nextAttemptAt', case when _delivery.worker_id is null then _delivery.due_at end,
    'createdAt', _delivery.created_at, 'finishedAt', _delivery.finished_at)
$$;

-- The deliveries of an endpoint, newest first, also of one that was deleted; null if the account has no such endpoint.
create or replace function webhook.list_deliveries(_account uuid, _id uuid, _status svc.delivery_status, _limit integer,
  _offset integer) returns json language sql stable as $$
  select (select coalesce(json_agg(webhook.view_delivery(page)), '[]') from (
      select * from svc.webhook_delivery d where d.endpoint_id = e.id and (_status is null or d.status = _status)
      order by d.created_at desc, d.sequence desc limit _limit offset _offset) page)
  from svc.webhook_endpoint e where e.id = _id and e.account_id = _account and e.target_id is null
$$;

create or replace function webhook.read_delivery(_account uuid, _id uuid, _delivery uuid) returns json language sql stable as $$
  select webhook.view_delivery(d) || jsonb_build_object('responseBody', d.response_body, 'payload', d.payload)
  from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id
  where d.id = _delivery and e.id = _id and e.account_id = _account and e.target_id is null
$$;

-- Deletes deliveries that ended long ago, and deleted endpoints that have none left. At most 5000 at a time.
create or replace function webhook.forget(_older_than interval) returns integer language plpgsql as $$
declare
  _forgotten integer;
begin
  delete from svc.webhook_delivery where id in (
    select id from svc.webhook_delivery where created_at < now() - _older_than and status <> 'PENDING'
    order by created_at limit 5000);
  get diagnostics _forgotten = row_count;
  delete from svc.webhook_endpoint e where e.deleted_at < now() - _older_than
    and not exists (select from svc.webhook_delivery d where d.endpoint_id = e.id);
  return _forgotten;
end $$;

-- The rules that hold after every transaction.
create or replace function webhook.check_invariants() returns table (rule text, subject text, detail text)
language sql stable as $$
  select 'a waiting delivery is scheduled', d.endpoint_id::text, d.id::text
    from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id
    where d.status = 'PENDING' and (e.next_at is null or not e.is_active)
  union all
  select 'only a waiting delivery is at a worker', d.id::text, d.status::text from svc.webhook_delivery d
    where d.worker_id is not null and d.status <> 'PENDING'
  union all
  select 'the deliveries of an endpoint are numbered once each', d.endpoint_id::text, d.sequence::text
    from svc.webhook_delivery d group by d.endpoint_id, d.sequence having count(*) > 1
  union all
  select 'no number is above that of the last delivery', d.endpoint_id::text, max(d.sequence)::text
    from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id group by d.endpoint_id, e.sequence
    having max(d.sequence) > e.sequence
  union all
  select 'a delivery is tried at most eight times in a row', d.id::text, d.round::text from svc.webhook_delivery d
    where d.round > 8
$$;
