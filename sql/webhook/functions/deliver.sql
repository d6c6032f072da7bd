-- Decision 0080: queue webhook deliveries by endpoint.

-- Gives a worker deliveries to send. Endpoints whose last attempt was answered promptly come first and have all slots; the
-- others, which may hang, share the trial slots, so that they never delay the first. Within both, the endpoint that has
-- waited longest comes first. Each is signed with the time of the database, because hosts may have clocks that are wrong.
-- Also tells after how many milliseconds there is more to send.
create or replace function webhook.take(_worker uuid, _slots integer, _trial_slots integer, _max_per_endpoint integer,
  _lease_seconds integer) returns json language plpgsql as $$
declare
  _taken uuid[] := webhook.take_kind(_worker, true, _slots, _max_per_endpoint, _lease_seconds);
begin
  _taken := _taken || webhook.take_kind(_worker, false, least(_trial_slots, _slots - cardinality(_taken)), _max_per_endpoint,
    _lease_seconds);
  return json_build_object(
    'deliveries', (select coalesce(json_agg(json_build_object('id', d.id, 'attempt', d.attempts, 'endpointId', e.id,
        'takenAtMs', floor(extract(epoch from clock_timestamp()) * 1000)::bigint, 'isTrial', not e.is_prompt,
        'url', e.url, 'secret', e.secret,
        'formerSecret', case when e.former_until > now() then e.former_secret end, 'event', d.event, 'sequence', d.sequence,
        'createdAt', d.created_at, 'payload', d.payload, 'serviceKey', j.service_key, 'traceparent', j.traceparent,
        'result', case when octet_length(j.result::text) <= 65536 then j.result end)), '[]')
      from unnest(_taken) with ordinality t (id, ord) join svc.webhook_delivery d on d.id = t.id
      join svc.webhook_endpoint e on e.id = d.endpoint_id
      left join svc.job j on d.event = 'job.completed' and j.id = d.subject_id),
    'nextInMs', (select ceil(extract(epoch from min(e.next_at) - clock_timestamp()) * 1000)::bigint
      from svc.webhook_endpoint e where e.next_at is not null));
end $$;

-- Takes what is due from the endpoints of one kind. An endpoint that another worker has locked is looked at again later.
create or replace function webhook.take_kind(_worker uuid, _is_prompt boolean, _slots integer, _max_per_endpoint integer,
  _lease_seconds integer) returns uuid[] language plpgsql as $$
declare
  _endpoint svc.webhook_endpoint;
  _taken uuid[] := '{}';
  _new uuid[];
begin
  for _endpoint in
    select * from svc.webhook_endpoint where is_prompt = _is_prompt and next_at <= clock_timestamp()
    order by next_at limit greatest(_slots, 0) for no key update skip locked loop
    exit when cardinality(_taken) >= _slots;
    with due as (
      select id from svc.webhook_delivery where endpoint_id = _endpoint.id and due_at <= clock_timestamp()
      order by due_at, sequence
      limit least(_slots - cardinality(_taken), webhook.free_slots(_endpoint, _max_per_endpoint))),
    sent as (
      update svc.webhook_delivery d set worker_id = _worker, attempts = d.attempts + 1, round = least(d.round + 1, 8),
        due_at = clock_timestamp() + make_interval(secs => _lease_seconds)
      from due where d.id = due.id returning d.id)
    select coalesce(array_agg(id), '{}') into _new from sent;
    _taken := _taken || _new;
    perform webhook.schedule(_endpoint.id, _max_per_endpoint);
  end loop;
  return _taken;
end $$;

-- How many more deliveries an endpoint may be sent now. Those whose worker is lost do not count.
create or replace function webhook.free_slots(_endpoint svc.webhook_endpoint, _max_per_endpoint integer) returns bigint
language sql stable as $$
  select greatest(0, least(_endpoint.concurrency, _max_per_endpoint) - (select count(*) from svc.webhook_delivery d
    where d.endpoint_id = _endpoint.id and d.worker_id is not null and d.due_at > clock_timestamp()))
$$;

-- Notes when an endpoint needs attention next: when its next delivery is due and it is not paused. If it is sent as many as it
-- may be, when one of those is considered lost; the end of each of them notes it anew.
create or replace function webhook.schedule(_id uuid, _max_per_endpoint integer default 64) returns void language sql as $$
  update svc.webhook_endpoint e set next_at = case
      when webhook.free_slots(e, _max_per_endpoint) = 0 then (select min(d.due_at) from svc.webhook_delivery d
        where d.endpoint_id = e.id and d.worker_id is not null)
      else (select case when min(d.due_at) is not null then greatest(min(d.due_at), e.paused_until) end
        from svc.webhook_delivery d where d.endpoint_id = e.id and d.due_at is not null) end
  where e.id = _id
$$;

-- Records how attempts ended. An attempt that is not the delivery's last changes nothing.
create or replace function webhook.finish_batch(_batch json, _is_repeat boolean) returns json language plpgsql as $$
declare
  _attempts svc.webhook_attempt[];
  _attempt svc.webhook_attempt;
  _endpoints uuid[];
begin
  select array_agg(a) into _attempts from json_populate_recordset(null::svc.webhook_attempt, _batch) a where _is_repeat is not null;
  _endpoints := array(select distinct d.endpoint_id from svc.webhook_delivery d where d.id = any (array(select a.id from unnest(_attempts) a)));
  perform from svc.webhook_endpoint where id = any (_endpoints) order by id for no key update;
  foreach _attempt in array _attempts loop
    perform webhook.finish(_attempt);
  end loop;
  perform webhook.schedule(id) from unnest(_endpoints) id;
  return null;
end $$;

-- A success is recorded even if the delivery was considered lost or was given up meanwhile, because it has arrived.
create or replace function webhook.finish(_attempt svc.webhook_attempt) returns void language plpgsql as $$
declare
  _delivery svc.webhook_delivery;
  _endpoint svc.webhook_endpoint;
  _delay interval;
begin
  select * into _delivery from svc.webhook_delivery d where d.id = _attempt.id and d.attempts = _attempt.attempt
    and (d.worker_id = _attempt.worker or (_attempt.ok and d.status <> 'SUCCESS'));
  if not found then
    return;
  end if;
  select * into _endpoint from svc.webhook_endpoint where id = _delivery.endpoint_id;
  if not _attempt.ok and _attempt.verdict is null and _endpoint.is_active then
    _delay := webhook.retry_delay(_delivery.round, _attempt.retry_after);
  end if;
  update svc.webhook_delivery set worker_id = null, response_code = _attempt.code, response_body = _attempt.body,
    error_message = _attempt.error, due_at = clock_timestamp() + _delay,
    status = case when _attempt.ok then 'SUCCESS' when _delay is null then 'FAILED' else 'PENDING' end::svc.delivery_status,
    finished_at = case when _delay is null then clock_timestamp() end
    where id = _delivery.id;
  if _attempt.ok then
    perform webhook.note_success(_endpoint, _attempt.ms);
  elsif _endpoint.is_active then
    perform webhook.note_failure(_endpoint, _attempt);
  end if;
end $$;

-- The time until the next attempt of a delivery, a fifth more or less; null after the eighth. A receiver may ask for up to
-- twice the time.
create or replace function webhook.retry_delay(_round integer, _retry_after integer) returns interval language sql volatile as $$
  select make_interval(secs => case when _retry_after is null then step * (0.8 + 0.4 * random())
    else least(greatest(_retry_after, step), 2 * step) end)
  from (select (array[5, 300, 1800, 7200, 18000, 36000, 36000])[_round] as step) s where step is not null
$$;

-- An endpoint that answers within a second is sent twice as many at once after each success, others at most four.
create or replace function webhook.note_success(_endpoint svc.webhook_endpoint, _ms integer) returns void language sql as $$
  update svc.webhook_endpoint set consecutive_failures = 0, failing_since = null, doubted_since = null, pause_seconds = 0,
    paused_until = null, is_prompt = _ms <= 1000,
    concurrency = least(_endpoint.concurrency * 2, case when _ms <= 1000 then 64 else 4 end)
  where id = _endpoint.id and (_endpoint.consecutive_failures > 0 or _endpoint.is_prompt <> (_ms <= 1000)
    or _endpoint.concurrency <> least(_endpoint.concurrency * 2, case when _ms <= 1000 then 64 else 4 end))
$$;

-- From the third failure in a row an endpoint is paused, for twice as long each time it has failed after a pause. It is
-- disabled if it wants so, or if it has failed for half a day and then for five more.
create or replace function webhook.note_failure(_endpoint svc.webhook_endpoint, _attempt svc.webhook_attempt) returns void
language plpgsql as $$
declare
  _keeps_pause boolean := _endpoint.consecutive_failures < 2 or coalesce(_endpoint.paused_until > clock_timestamp(), false);
  _seconds integer := case when _keeps_pause then _endpoint.pause_seconds else least(300, greatest(5, _endpoint.pause_seconds * 2)) end;
  _reason text := case when _attempt.code = 410 then 'The receiver answered 410 Gone.'
    when _attempt.verdict = 'disable' then 'The receiver asked for it.'
    when _endpoint.doubted_since < now() - interval '5 days' then 'Every attempt of the last days has failed.' end;
begin
  update svc.webhook_endpoint set consecutive_failures = consecutive_failures + 1, is_prompt = false, concurrency = 1,
    failing_since = coalesce(failing_since, now()),
    doubted_since = coalesce(doubted_since, case when failing_since < now() - interval '12 hours' then now() end),
    pause_seconds = _seconds,
    paused_until = greatest(case when _keeps_pause then paused_until else clock_timestamp() + make_interval(secs => _seconds) end,
      case when _attempt.retry_after > 0 then clock_timestamp() + make_interval(secs => least(_attempt.retry_after, 300)) end),
    is_active = _reason is null, disabled_reason = _reason, disabled_at = case when _reason is not null then now() end
    where id = _endpoint.id;
  if _reason is not null then
    perform webhook.fail_waiting(_endpoint.id, 'The webhook was disabled.');
    perform webhook.tell_disabled(_endpoint, _reason);
  end if;
end $$;

-- Tells the owner once a day at most, however often the webhook is enabled again. Triggers of one object tell nobody.
create or replace function webhook.tell_disabled(_endpoint svc.webhook_endpoint, _reason text) returns void language sql as $$
  select notification.tell_owner(_endpoint.account_id, 'webhook.disabled', _endpoint.id || ' ' || (now() at time zone 'utc')::date,
    jsonb_build_object('id', _endpoint.id, 'host', substring(_endpoint.url from '^[a-z]+://(?:[^/?#]*@)?([^/?#]+)'),
      'reason', _reason))
  where _endpoint.target_id is null
$$;

-- Makes what lost workers were sending due again.
create or replace function webhook.release(_workers uuid[]) returns void language plpgsql as $$
declare
  _endpoint uuid;
begin
  for _endpoint in
    select e.id from svc.webhook_endpoint e where e.id in (
      select d.endpoint_id from svc.webhook_delivery d where d.worker_id = any (_workers)) order by e.id for no key update loop
    update svc.webhook_delivery set worker_id = null, due_at = now() where endpoint_id = _endpoint and worker_id = any (_workers);
    perform webhook.schedule(_endpoint);
    perform pg_notify('webhook_due', '');
  end loop;
end $$;
