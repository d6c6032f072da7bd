-- Decision 0370: what coordination costs, and where fences come from.

-- Takes a lock, which `_job` pays for. While somebody holds it, LOCK_HELD is raised.
create or replace function coordination.acquire(_job json, _hold json, _seconds integer, _max_names integer) returns json
language plpgsql as $$
declare
  _result json := coordination.take(_hold, _seconds, _max_names);
begin
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function coordination.take(_hold json, _seconds integer, _max_names integer) returns json language plpgsql as $$
declare
  _new svc.coordination_lock := json_populate_record(null::svc.coordination_lock, _hold);
  _taken record;
  _lock svc.coordination_lock;
  _channel uuid := coordination.find_channel(_new.name);
begin
  -- A fence is drawn under the lock of the row: drawn before, a slower call could get a smaller one.
  insert into svc.coordination_lock as l
      (account_id, channel_id, name, hold_id, token_hash, owner, fence, acquired_at, expires_at)
    values (_new.account_id, _channel, _new.name, _new.hold_id, _new.token_hash, _new.owner, nextval('svc.coordination_fence'),
      clock_timestamp(), coordination.find_end(_channel, _seconds))
    on conflict (account_id, name) do update set hold_id = excluded.hold_id, token_hash = excluded.token_hash,
      owner = excluded.owner, fence = nextval('svc.coordination_fence'), acquired_at = clock_timestamp(),
      expires_at = coordination.find_end(_channel, _seconds)
      where l.expires_at <= clock_timestamp()
    returning l as lock, l.xmax = 0 as is_new into _taken;
  if not found then
    select * into _lock from svc.coordination_lock where account_id = _new.account_id and name = _new.name;
    raise exception 'LOCK_HELD' using errcode = 'SVC01', detail = coordination.describe_hold(_lock)::text;
  end if;
  _lock := _taken.lock;
  if _taken.is_new and _max_names < (
      select count(*) from (select from svc.coordination_lock
        where account_id = _new.account_id and channel_id is not distinct from _channel limit _max_names + 1) l) then
    perform coordination.refuse_name(_max_names);
  end if;
  return coordination.show_lock(_lock)::jsonb || jsonb_build_object('id', _lock.hold_id);
end $$;

-- Takes and gives back the locks of several callers with one commit, each as if it had come alone: one that is refused undoes
-- nothing of the others. Locks are locked in the order of their names and before accounts, so that two batches do not wait for
-- each other. A use whose lock is locked for long answers `again`, because the others must not wait for it.
create or replace function coordination.use_locks(_batch json) returns setof json language plpgsql as $$
declare
  _item record;
  _result json;
  _closings svc.closing[] := '{}';
  _code text;
  _hints text;
begin
  perform set_config('lock_timeout', '50ms', true);
  for _item in select u.use, u.ord from json_array_elements(_batch) with ordinality u (use, ord)
      order by u.use ->> 'account', u.use ->> 'name', u.ord loop
    begin
      if _item.use -> 'hold' is not null then
        _result := coordination.take(_item.use -> 'hold', (_item.use ->> 'seconds')::integer, (_item.use ->> 'maxNames')::integer);
        _closings := _closings || job.build_success(_item.use -> 'job', _result);
      else
        _result := coordination.release((_item.use ->> 'account')::uuid, _item.use ->> 'name', (_item.use ->> 'token')::bytea);
      end if;
      _result := json_build_array(_item.ord, 'done', _result);
    exception
      when sqlstate 'SVC01' then
        get stacked diagnostics _code = message_text, _hints = pg_exception_detail;
        _result := json_build_array(_item.ord, _code, nullif(_hints, '')::json);
      when lock_not_available or deadlock_detected then
        _result := json_build_array(_item.ord, 'again');
    end;
    return next _result;
  end loop;
  perform set_config('lock_timeout', '0', true);
  perform job.settle_all(_closings);
end $$;

create or replace function coordination.describe_hold(_lock svc.coordination_lock) returns json language sql volatile as $$
  select json_build_object('expiresAt', _lock.expires_at, 'owner', _lock.owner, 'retryAfterMs',
    greatest(0, ceil(extract(epoch from _lock.expires_at - clock_timestamp()) * 1000))::bigint)
$$;

create or replace function coordination.show_lock(_lock svc.coordination_lock) returns json language sql volatile as $$
  select json_build_object('name', coordination.show_name(_lock.name), 'isHeld', _lock.expires_at > clock_timestamp(), 'owner', _lock.owner,
    'fence', _lock.fence, 'acquiredAt', _lock.acquired_at, 'expiresAt', _lock.expires_at)
$$;

create or replace function coordination.read_lock(_account uuid, _name text) returns json language plpgsql volatile as $$
declare
  _lock svc.coordination_lock;
begin
  select * into _lock from svc.coordination_lock where account_id = _account and name = _name;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return coordination.show_lock(_lock);
end $$;

-- Holds a lock for some more seconds from now. A hold that has expired is lost, even if nobody has taken the lock since.
create or replace function coordination.renew(_account uuid, _name text, _token bytea, _seconds integer) returns json
language plpgsql as $$
declare
  _lock svc.coordination_lock := coordination.find_hold(_account, _name, _token);
begin
  if _lock.expires_at <= clock_timestamp() then
    raise exception 'FENCE_STALE' using errcode = 'SVC01', detail = json_build_object('fence', _lock.fence,
      'reason', 'its time is over')::text;
  end if;
  update svc.coordination_lock set expires_at = coordination.find_end(_lock.channel_id, _seconds)
    where account_id = _account and name = _name returning * into _lock;
  return coordination.show_lock(_lock);
end $$;

-- Gives a lock back. Done twice, or after its time, it changes nothing; FENCE_STALE says that somebody else had it since.
create or replace function coordination.release(_account uuid, _name text, _token bytea) returns json language plpgsql as $$
declare
  _lock svc.coordination_lock := coordination.find_hold(_account, _name, _token);
begin
  if _lock.expires_at > clock_timestamp() then
    update svc.coordination_lock set expires_at = clock_timestamp() where account_id = _account and name = _name
      returning * into _lock;
    -- A transaction that notifies lets no other one commit beside it, so it does so only for somebody.
    if _lock.wanted_until > clock_timestamp() then
      perform pg_notify('long_polls', 'lock ' || _account || ' ' || _name);
    end if;
  end if;
  return coordination.show_lock(_lock);
end $$;

-- Notes that somebody waits for a lock for so many seconds. Who waits tries once more after this: a lock that was given back
-- before is free then, and one that is given back later is told.
create or replace function coordination.want_lock(_account uuid, _name text, _seconds integer) returns void language sql as $$
  update svc.coordination_lock
    set wanted_until = greatest(wanted_until, clock_timestamp() + make_interval(secs => _seconds))
    where account_id = _account and name = _name
$$;

-- The lock that was last taken with this token, for a change of it.
create or replace function coordination.find_hold(_account uuid, _name text, _token bytea) returns svc.coordination_lock
language plpgsql as $$
declare
  _lock svc.coordination_lock;
begin
  select * into _lock from svc.coordination_lock where account_id = _account and name = _name for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _lock.token_hash <> _token then
    raise exception 'FENCE_STALE' using errcode = 'SVC01', detail = json_build_object('fence', _lock.fence,
      'reason', 'the token is not the one with which the lock was last taken')::text;
  end if;
  return _lock;
end $$;
