-- Opens the next round of a barrier, which `_job` pays for, unless one is open.
create or replace function coordination.open_barrier(_job json, _account uuid, _name text, _parties integer, _seconds integer,
  _max_names integer) returns json language plpgsql as $$
declare
  _last svc.coordination_barrier;
  _channel uuid := coordination.find_channel(_name);
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('barrier ' || _account || ' ' || _name, 0));
  select * into _last from svc.coordination_barrier where account_id = _account and name = _name order by round desc limit 1;
  if coordination.state_of(_last) = 'open' then
    raise exception 'BARRIER_OPEN' using errcode = 'SVC01',
      detail = json_build_object('round', _last.round, 'parties', _last.parties)::text;
  elsif (select count(*) from (select from svc.coordination_barrier
      where account_id = _account and channel_id is not distinct from _channel limit _max_names) b) >= _max_names then
    perform coordination.refuse_name(_max_names);
  end if;
  insert into svc.coordination_barrier (account_id, channel_id, name, round, parties, created_at, expires_at)
    values (_account, _channel, _name, coalesce(_last.round, 0) + 1, _parties, clock_timestamp(),
      coordination.find_end(_channel, _seconds)) returning * into _last;
  _result := coordination.show_barrier(_last);
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function coordination.state_of(_barrier svc.coordination_barrier) returns text language sql volatile as $$
  select case when _barrier.released_at is not null then 'released' when _barrier.expires_at > clock_timestamp() then 'open'
    when _barrier.name is not null then 'expired' end
$$;

create or replace function coordination.show_barrier(_barrier svc.coordination_barrier) returns json language sql volatile as $$
  select json_build_object('name', coordination.show_name(_barrier.name), 'round', _barrier.round,
    'state', coordination.state_of(_barrier),
    'parties', _barrier.parties, 'arrived', cardinality(_barrier.members), 'members', _barrier.members,
    'createdAt', _barrier.created_at, 'expiresAt', _barrier.expires_at, 'releasedAt', _barrier.released_at)
$$;

-- One round of a barrier, by default the last, with the milliseconds until it expires.
create or replace function coordination.read_barrier(_account uuid, _name text, _round integer) returns json
language plpgsql volatile as $$
declare
  _barrier svc.coordination_barrier;
begin
  select * into _barrier from svc.coordination_barrier
    where account_id = _account and name = _name and round = coalesce(_round, round)
    order by round desc limit 1;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return coordination.show_barrier(_barrier);
end $$;

-- A member arrives, and the last one releases all. To arrive twice is to arrive once.
create or replace function coordination.arrive(_account uuid, _name text, _round integer, _member text) returns json
language plpgsql as $$
declare
  _barrier svc.coordination_barrier;
begin
  select * into _barrier from svc.coordination_barrier
    where account_id = _account and name = _name and round = coalesce(_round, round)
    order by round desc limit 1 for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _member = any (_barrier.members) then
    return coordination.show_barrier(_barrier);
  elsif coordination.state_of(_barrier) <> 'open' then
    raise exception 'BARRIER_CLOSED' using errcode = 'SVC01',
      detail = json_build_object('round', _barrier.round, 'state', coordination.state_of(_barrier))::text;
  end if;
  update svc.coordination_barrier b set members = b.members || _member,
      released_at = case when cardinality(b.members) + 1 >= b.parties then clock_timestamp() end
    where b.account_id = _account and b.name = _name and b.round = _barrier.round returning * into _barrier;
  if _barrier.released_at is not null then
    perform pg_notify('long_polls', 'barrier ' || _account || ' ' || _name);
  end if;
  return coordination.show_barrier(_barrier);
end $$;
