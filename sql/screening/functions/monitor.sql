-- Starts to watch a subject, and ends the job that pays for it.
create or replace function screening.start_monitor(_job json, _fields json, _max integer) returns json language plpgsql as $$
declare
  _account uuid := (_job ->> 'account')::uuid;
  _row svc.screening_monitor;
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('screening monitor ' || _account, 0));
  if (select count(*) from svc.screening_monitor m where m.account_id = _account and m.state = 'active') >= _max then
    raise exception 'TOO_MANY_MONITORS' using errcode = 'SVC01', detail = json_build_object('max', _max)::text;
  end if;
  insert into svc.screening_monitor (id, account_id, job_id, reference_id, request, matches, status, checked_version, ends_at)
    values ((_fields ->> 'id')::uuid, _account, (_job ->> 'id')::uuid, _fields ->> 'referenceId', (_fields -> 'request')::jsonb,
      (_fields -> 'matches')::jsonb, _fields ->> 'status', (_fields ->> 'checkedVersion')::integer,
      now() + make_interval(months => (_fields ->> 'months')::integer)) returning * into _row;
  _result := screening.show_monitor(_row);
  perform job.settle(_job, _result);
  perform step.queue('screening.end-monitor', json_build_object('id', _row.id), _row.ends_at, _row.id::text);
  return _result;
end $$;

create or replace function screening.show_monitor(_row svc.screening_monitor) returns json language sql immutable as $$
  select json_build_object('id', _row.id, 'state', _row.state, 'referenceId', _row.reference_id, 'request', _row.request,
    'status', _row.status, 'matches', _row.matches, 'checkedAt', _row.checked_at, 'changedAt', _row.changed_at,
    'createdAt', _row.created_at, 'endsAt', _row.ends_at)
$$;

create or replace function screening.list_monitors(_account uuid, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(screening.show_monitor(m) order by m.created_at desc, m.id), '[]')
  from (select * from svc.screening_monitor where account_id = _account order by created_at desc, id limit _limit) m
$$;

create or replace function screening.require_monitor(_account uuid, _id uuid) returns svc.screening_monitor language plpgsql as $$
declare
  _row svc.screening_monitor;
begin
  select * into _row from svc.screening_monitor where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _row;
end $$;

create or replace function screening.read_monitor(_account uuid, _id uuid) returns json language sql as $$
  select screening.show_monitor(screening.require_monitor(_account, _id))
$$;

-- Ends a monitor before its time. What is not used up is not given back.
create or replace function screening.stop_monitor(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _row svc.screening_monitor := screening.require_monitor(_account, _id);
begin
  perform transition.move('svc.screening_monitor', _id, 'ended', 'owner', '{}');
  return screening.read_monitor(_account, _id);
end $$;

create or replace function screening.end_monitor_when_due(_id uuid) returns void language plpgsql as $$
declare
  _row svc.screening_monitor;
begin
  select * into _row from svc.screening_monitor where id = _id and state = 'active' for no key update;
  if _row.ends_at > now() then
    perform step.queue('screening.end-monitor', json_build_object('id', _id), _row.ends_at, _id::text);
  elsif found then
    perform transition.move('svc.screening_monitor', _id, 'ended', 'clock', '{}');
  end if;
end $$;

-- Some of the monitors that have not been checked against a version, in the order of their ids; of an uploaded list, those of its
-- account.
create or replace function screening.take_monitors(_version integer, _after uuid, _limit integer) returns json language sql stable as $$
  with owner as (select l.account_id from svc.screening_version v join svc.screening_list l on l.id = v.list_id where v.id = _version)
  select coalesce(json_agg(json_build_object('id', m.id, 'accountId', m.account_id, 'referenceId', m.reference_id,
    'request', m.request, 'matches', m.matches, 'status', m.status) order by m.id), '[]')
  from (select * from svc.screening_monitor where state = 'active' and checked_version < _version
    and (_after is null or id > _after) and account_id = coalesce((select o.account_id from owner o), account_id)
    order by id limit _limit) m
$$;

-- Notes what a check has found. If that is other than before, the owner is told, in the same transaction.
create or replace function screening.note_check(_id uuid, _version integer, _found json, _change json) returns void language plpgsql as $$
declare
  _row svc.screening_monitor;
begin
  update svc.screening_monitor set checked_version = _version, checked_at = now(), matches = (_found -> 'matches')::jsonb,
    status = _found ->> 'status', changed_at = case when _change is null then changed_at else now() end
    where id = _id and state = 'active' and checked_version < _version returning * into _row;
  if found and _change is not null then
    perform webhook.emit(array[row(_row.account_id, null, 'screening.changed', _id, _change)::svc.webhook_emission]);
    perform audit.append('screening_monitor', _id, _row.account_id, 'list', 'changed', _change::jsonb);
  end if;
end $$;

-- Goes on with the monitors after one, unless a newer version of the list is to be searched for all.
create or replace function screening.queue_rescreen(_version integer, _after uuid) returns void language sql as $$
  select step.queue_next_in('screening.rescreen', 'screening.rescreen',
    json_build_object('versionId', _version, 'after', _after), now(),
    (select v.list_id::text from svc.screening_version v where v.id = _version))
$$;
