-- Adds to a counter, which begins at 0 and which `_job` pays for, unless it would leave the limits.
create or replace function coordination.add(_job json, _account uuid, _name text, _addend bigint, _least bigint, _most bigint,
  _max_names integer) returns json language plpgsql as $$
declare
  _counter svc.coordination_counter;
  _channel uuid := coordination.find_channel(_name);
  _result json;
begin
  insert into svc.coordination_counter (account_id, channel_id, name) values (_account, _channel, _name) on conflict do nothing;
  if found and _max_names < (
      select count(*) from (select from svc.coordination_counter
        where account_id = _account and channel_id is not distinct from _channel limit _max_names + 1) c) then
    perform coordination.refuse_name(_max_names);
  end if;
  select * into _counter from svc.coordination_counter where account_id = _account and name = _name for no key update;
  if _counter.value + _addend not between _least and _most then
    raise exception 'COUNTER_LIMIT' using errcode = 'SVC01',
      detail = json_build_object('value', _counter.value, 'min', _least, 'max', _most)::text;
  end if;
  update svc.coordination_counter set value = value + _addend, updated_at = clock_timestamp()
    where account_id = _account and name = _name returning * into _counter;
  _result := coordination.show_counter(_counter);
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function coordination.show_counter(_counter svc.coordination_counter) returns json language sql immutable as $$
  select json_build_object('name', coordination.show_name(_counter.name), 'value', _counter.value, 'updatedAt', _counter.updated_at)
$$;

create or replace function coordination.read_counter(_account uuid, _name text) returns json language plpgsql stable as $$
declare
  _counter svc.coordination_counter;
begin
  select * into _counter from svc.coordination_counter where account_id = _account and name = _name;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return coordination.show_counter(_counter);
end $$;

create or replace function coordination.delete_counter(_account uuid, _name text) returns json language plpgsql as $$
declare
  _counter svc.coordination_counter;
begin
  delete from svc.coordination_counter where account_id = _account and name = _name returning * into _counter;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return coordination.show_counter(_counter);
end $$;
