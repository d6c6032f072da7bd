-- Times as the api writes them.
create or replace function lease.format_time(_at timestamptz) returns text language sql immutable as $$
  select to_char(_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create or replace function lease.format_id(_prefix text, _id uuid) returns text language sql immutable as $$
  select _prefix || replace(_id::text, '-', '')
$$;

create or replace function lease.format_sha256(_body bytea) returns text language sql immutable as $$
  select encode(sha256(_body), 'hex')
$$;

-- The lease as it begins, which ends `_seconds` from now.
create or replace function lease.prepare(_fields json, _seconds integer) returns svc.lease language plpgsql volatile as $$
declare
  _lease svc.lease := json_populate_record(null::svc.lease, _fields);
begin
  _lease.created_at := now();
  _lease.updated_at := now();
  _lease.expires_at := now() + make_interval(secs => _seconds);
  _lease.is_deleted := false;
  _lease.version := 0;
  _lease.used_bytes := 0;
  _lease.message_count := 0;
  _lease.sequence := 0;
  _lease.has_webhook := coalesce(_lease.has_webhook, false);
  _lease.delete_on_claim := coalesce(_lease.delete_on_claim, false);
  return _lease;
end $$;

-- Refuses the use of a lease that has ended or never was, and of another account's.
create or replace function lease.require_usable(_lease svc.lease, _account uuid) returns void language plpgsql stable as $$
begin
  if _lease.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _lease.account_id <> _account then
    raise exception 'FORBIDDEN' using errcode = 'SVC01';
  elsif _lease.ended_at is not null or _lease.expires_at <= now() or _lease.claimed_at is not null then
    raise exception 'GONE' using errcode = 'SVC01', detail = json_build_object('reason',
      case when _lease.claimed_at is not null then 'claimed' when _lease.is_deleted then 'deleted' else 'expired' end, 'expires_at', lease.format_time(_lease.expires_at))::text;
  end if;
end $$;

-- Refuses a change that expects another version than this one of a lease, or expects none.
create or replace function lease.require_version(_lease svc.lease, _sha256 text, _condition json) returns void
language plpgsql stable as $$
declare
  _tags text[] := array['*', 'v' || _lease.version, format('v%s-%s', _lease.version, left(_sha256, 8))];
begin
  if _tags && lease.list_tags(_condition -> 'noneMatch') or not coalesce(_tags && lease.list_tags(_condition -> 'match'), true) then
    raise exception 'VERSION_CONFLICT' using errcode = 'SVC01',
      detail = json_build_object('current_version', _lease.version)::text;
  end if;
end $$;

create or replace function lease.list_tags(_list json) returns text[] language sql immutable as $$
  select array_agg(tag) from json_array_elements_text(_list) tag
$$;

-- Ends leases and deletes what they hold. Deliveries that are on their way are still sent if the lease has expired.
create or replace function lease.finish(_ids uuid[], _is_deleted boolean) returns void language plpgsql as $$
declare
  _endpoint uuid;
begin
  update svc.lease set ended_at = least(now(), expires_at), is_deleted = _is_deleted, used_bytes = 0, message_count = 0
    where id = any (_ids);
  delete from svc.checkpoint_version where lease_id = any (_ids);
  delete from svc.mailbox_message where lease_id = any (_ids);
  perform storage.drop_contents(_ids, '0');
  perform step.queue('lease.forget', json_build_object('leaseId', id), now(), id::text) from unnest(_ids) id;
  for _endpoint in
    select e.id from svc.webhook_endpoint e where e.target_id = any (_ids) and e.deleted_at is null
    order by e.id for no key update loop
    update svc.webhook_endpoint set deleted_at = now() where id = _endpoint;
    if _is_deleted then
      update svc.webhook_endpoint set is_active = false, secret = '' where id = _endpoint;
      perform webhook.fail_waiting(_endpoint, 'The mailbox was deleted.');
      perform webhook.schedule(_endpoint);
    end if;
  end loop;
end $$;

-- Records a lease that was paid for, and queues its end.
create or replace function lease.open(_lease svc.lease) returns void language plpgsql as $$
begin
  insert into svc.lease select _lease.*;
  perform step.queue('lease.expire', json_build_object('leaseId', _lease.id), _lease.expires_at, _lease.id::text);
end $$;

-- The step that ends a lease which has expired or was handed off for good; the claim has five minutes to arrive. It waits for
-- callers who hold the lease: even a refused call holds it until a moment after its answer.
create or replace function lease.expire(_id uuid) returns void language plpgsql as $$
declare
  _lease svc.lease;
  _end timestamptz;
begin
  select * into _lease from svc.lease where id = _id and ended_at is null for no key update;
  _end := least(_lease.expires_at, _lease.claimed_at + interval '5 minutes');
  if _end > now() then
    perform step.queue('lease.expire', json_build_object('leaseId', _id), _end, _id::text);
  elsif _lease.id is not null then
    perform lease.finish(array[_id], _lease.expires_at > now());
  end if;
end $$;

-- The step that deletes the record of a lease which ended more than `_keep` ago.
create or replace function lease.forget(_id uuid, _keep interval) returns void language plpgsql as $$
declare
  _ended_at timestamptz;
begin
  select ended_at into _ended_at from svc.lease where id = _id for update;
  if _ended_at + _keep > now() then
    perform step.queue('lease.forget', json_build_object('leaseId', _id), _ended_at + _keep, _id::text);
  elsif _ended_at is not null then
    perform lease.delete_records(array[_id]);
  end if;
end $$;

create or replace function lease.delete_records(_ids uuid[]) returns void language plpgsql as $$
declare
  _handoffs uuid[] := array(select h.id from svc.handoff h where h.lease_id = any (_ids));
begin
  delete from svc.handoff_claim where handoff_id = any (_handoffs);
  delete from svc.handoff where id = any (_handoffs);
  perform audit.erase_subjects('handoff', _handoffs);
  delete from svc.lease where id = any (_ids);
end $$;

-- The rules that hold after every transaction.
create or replace function lease.check_invariants() returns table (rule text, subject text, detail text)
language sql stable as $$
  select 'a mailbox counts what it holds', l.id::text, format('%s of %s bytes, %s of %s messages', l.used_bytes,
      coalesce(m.bytes, 0), l.message_count, coalesce(m.messages, 0))
    from svc.lease l left join (
      select lease_id, sum(size_bytes) as bytes, count(*) as messages from svc.mailbox_message group by lease_id) m
      on m.lease_id = l.id
    where l.used_bytes <> coalesce(m.bytes, 0) or l.message_count <> coalesce(m.messages, 0)
  union all
  select 'the last version of a live checkpoint is kept', l.id::text, l.version::text from svc.lease l
    where l.kind = 'checkpoint' and l.ended_at is null
      and l.version is distinct from (select max(v.version) from svc.checkpoint_version v where v.lease_id = l.id)
  union all
  select 'a lease that has ended holds nothing', l.id::text, l.kind::text from svc.lease l where l.ended_at is not null
    and (exists (select from svc.checkpoint_version v where v.lease_id = l.id)
      or exists (select from svc.mailbox_message m where m.lease_id = l.id)
      or exists (select from svc.lease_content c where c.lease_id = l.id))
  union all
  select 'live storage has its object', l.id::text, c.object_key from svc.lease l
    left join svc.lease_content c on c.lease_id = l.id left join svc.object o on o.key = c.object_key
    where l.kind = 'storage' and l.ended_at is null and o.expires_at is distinct from 'infinity'
  union all
  select 'a lease was paid for', l.id::text, l.job_id::text from svc.lease l
    where not exists (select from svc.transfer t where t.job_id = l.job_id and t.kind in ('charge', 'capture'))
$$;

-- Databases of the release before still have lease.sweep(integer, interval), which its workers call, and lease.pay(json, jsonb);
-- the next release drops them.
