-- Queues events for the endpoints that want them, in the transaction in which they happen. An endpoint that was disabled
-- because of its failures keeps the events of the next week, so that its owner can have them sent after all. Returns how many
-- deliveries there are.
create or replace function webhook.emit(_emissions svc.webhook_emission[]) returns integer language plpgsql as $$
declare
  _endpoints uuid[];
  _queued integer;
begin
  select array_agg(distinct e.id) into _endpoints
    from unnest(_emissions) m cross join lateral webhook.find_endpoints(m.account_id, m.target_id, m.event) e;
  if _endpoints is null then
    return 0;
  end if;
  perform from svc.webhook_endpoint where id = any (_endpoints) order by id for no key update;
  with matched as (
    select e.id, e.is_active, m.event, m.subject_id, m.payload, row_number() over (partition by e.id order by m.ord) as place
    from unnest(_emissions) with ordinality as m (account_id, target_id, event, subject_id, payload, ord)
    cross join lateral webhook.find_endpoints(m.account_id, m.target_id, m.event) e),
  counted as (
    update svc.webhook_endpoint e set sequence = e.sequence + added.count,
      next_at = case when e.is_active then least(e.next_at, greatest(e.paused_until, now())) end
    from (select id, count(*) from matched group by id) added where e.id = added.id
    returning e.id, e.sequence - added.count as before)
  insert into svc.webhook_delivery (id, endpoint_id, event, subject_id, sequence, payload, status, due_at, error_message, finished_at)
    select webhook.new_id(), m.id, m.event, m.subject_id, c.before + m.place, m.payload,
      case when m.is_active then 'PENDING' else 'FAILED' end::svc.delivery_status,
      case when m.is_active then now() end,
      case when not m.is_active then 'The webhook was disabled when this happened.' end,
      case when not m.is_active then now() end
    from matched m join counted c on c.id = m.id;
  get diagnostics _queued = row_count;
  perform pg_notify('webhook_due', '');
  return _queued;
end $$;

-- The endpoints to which an event of an account goes, or of a target, whose events go nowhere else.
create or replace function webhook.find_endpoints(_account uuid, _target uuid, _event text) returns setof svc.webhook_endpoint
language sql stable as $$
  select e.* from svc.webhook_endpoint e where _target is null and e.account_id = _account and e.target_id is null
    and _event = any (e.events) and e.deleted_at is null and (e.is_active or e.disabled_at > now() - interval '7 days')
  union all
  select e.* from svc.webhook_endpoint e where e.target_id = _target
    and _event = any (e.events) and e.deleted_at is null and (e.is_active or e.disabled_at > now() - interval '7 days')
$$;

-- Emits `job.completed` for jobs that have just ended. Every batch of jobs calls this, so it first asks an index that has
-- nothing but the endpoints for this event. The result is read from the job when it is sent.
create or replace function webhook.emit_jobs(_accounts uuid[], _jobs uuid[]) returns void language plpgsql as $$
begin
  if not exists (select from svc.webhook_endpoint e where e.account_id = any (_accounts)
      and e.target_id is null and e.deleted_at is null and 'job.completed' = any (e.events)) then
    return;
  end if;
  perform webhook.emit(array(
    select row(j.account_id, null, 'job.completed', j.id, json_strip_nulls(json_build_object('jobId', j.id,
      'serviceKey', j.service_key, 'status', j.status, 'actualMicros', coalesce(j.charged_micros, 0)::text,
      'errorReason', j.problem ->> 'code')))::svc.webhook_emission
    from svc.job j where j.id = any (_jobs) and exists (
      select from svc.webhook_endpoint e where e.account_id = j.account_id
        and e.target_id is null and e.deleted_at is null and 'job.completed' = any (e.events))
    order by j.finished_at, j.id));
end $$;

-- A version 7 UUID, ordered by time.
create or replace function webhook.new_id() returns uuid language sql volatile as $$
  select (left(job.first_id(clock_timestamp())::text, 15) || substr(gen_random_uuid()::text, 16))::uuid
$$;

-- Sends an endpoint an event that did not happen, so that its owner sees that everything works.
create or replace function webhook.send_test(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint := webhook.lock(_account, _id);
  _delivery svc.webhook_delivery;
begin
  perform webhook.require_active(_endpoint);
  update svc.webhook_endpoint set sequence = sequence + 1 where id = _id;
  insert into svc.webhook_delivery (id, endpoint_id, event, subject_id, sequence, payload, due_at)
    values (webhook.new_id(), _id, 'webhook.test', _id, _endpoint.sequence + 1, json_build_object('webhookId', _id), now())
    returning * into _delivery;
  perform webhook.send_now(_id);
  return webhook.view_delivery(_delivery);
end $$;

create or replace function webhook.require_active(_endpoint svc.webhook_endpoint) returns void language plpgsql stable as $$
begin
  if not _endpoint.is_active then
    raise exception 'WEBHOOK_DISABLED' using errcode = 'SVC01',
      detail = json_strip_nulls(json_build_object('reason', _endpoint.disabled_reason))::text;
  end if;
end $$;

-- What its owner asks for is sent at once, also to an endpoint that has failed lately.
create or replace function webhook.send_now(_id uuid) returns void language plpgsql as $$
begin
  update svc.webhook_endpoint set paused_until = null where id = _id;
  perform webhook.schedule(_id);
  perform pg_notify('webhook_due', '');
end $$;

-- Sends a delivery again, under the same id. One that is being sent is left alone.
create or replace function webhook.redeliver(_account uuid, _id uuid, _delivery_id uuid) returns json language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint := webhook.lock(_account, _id);
  _delivery svc.webhook_delivery;
begin
  select * into _delivery from svc.webhook_delivery where id = _delivery_id and endpoint_id = _id;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform webhook.require_active(_endpoint);
  if _delivery.worker_id is null then
    update svc.webhook_delivery set status = 'PENDING', round = 0, due_at = now(), finished_at = null where id = _delivery_id
      returning * into _delivery;
    perform webhook.send_now(_id);
  end if;
  return webhook.view_delivery(_delivery);
end $$;

-- Sends the failed deliveries since a time again, the oldest first, and at most `_limit` of them. Returns how many.
create or replace function webhook.redeliver_since(_account uuid, _id uuid, _since timestamptz, _limit integer) returns integer
language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint := webhook.lock(_account, _id);
  _count integer;
begin
  perform webhook.require_active(_endpoint);
  update svc.webhook_delivery set status = 'PENDING', round = 0, due_at = now(), finished_at = null
    where id in (select d.id from svc.webhook_delivery d
      where d.endpoint_id = _id and d.created_at >= _since and d.status = 'FAILED'
      order by d.created_at, d.sequence limit _limit);
  get diagnostics _count = row_count;
  perform webhook.send_now(_id);
  return _count;
end $$;
