-- The states of rows, by the rules that products declare. Such a table has the columns id, account_id, state and state_at.

-- Moves a row to a state, if the rules allow that from the state in which it is: stamps the time, writes the audit entry, and
-- emits the event that is declared for the new state, with `_detail` as its payload.
create or replace function transition.move(_table regclass, _id uuid, _to text, _actor text, _detail jsonb) returns void
language plpgsql as $$
declare
  _emission svc.webhook_emission := transition.change(_table, _id, _to, _actor, _detail);
begin
  if _emission.event is not null then
    perform webhook.emit(array[_emission]);
  end if;
end $$;

-- Moves a row like `transition.move`, but returns its event, or null, for who moves many rows and emits their events together.
create or replace function transition.change(_table regclass, _id uuid, _to text, _actor text, _detail jsonb)
returns svc.webhook_emission language plpgsql as $$
declare
  _name text := transition.name_of(_table);
  _from text;
  _account uuid;
  _allowed text[];
  _event text;
begin
  execute format('select state, account_id from %s where id = $1 for no key update', _table) into _from, _account using _id;
  select r.next_states into _allowed from svc.transition_rule r where r.table_name = _name and r.state = _from;
  if _from is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _to = any (_allowed) is not true then
    raise exception 'ILLEGAL_TRANSITION' using errcode = 'SVC01',
      detail = json_build_object('from', _from, 'to', _to, 'allowed', coalesce(_allowed, '{}'))::text;
  end if;
  perform set_config('transition.moving', _id || ' ' || _to, true);
  execute format('update %s set state = $2, state_at = clock_timestamp() where id = $1', _table) using _id, _to;
  perform set_config('transition.moving', '', true);
  perform audit.append(split_part(_name, '.', 2), _id, _account, _actor, _to,
    jsonb_build_object('from', _from) || coalesce(_detail, '{}'));
  select r.event into _event from svc.transition_rule r where r.table_name = _name and r.state = _to;
  return case when _event is not null
    then row(_account, null, _event, _id, coalesce(_detail, '{}')::json)::svc.webhook_emission end;
end $$;

-- The name of a table with its schema, whatever the search path is.
create or replace function transition.name_of(_table regclass) returns text language sql stable as $$
  select format('%s.%s', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = _table
$$;

-- Replaces the rules by what is declared now, and guards the tables. The first state of each is that of new rows.
create or replace function transition.declare(_tables json) returns void language plpgsql as $$
declare
  _table json;
begin
  delete from svc.transition_rule;
  for _table in select json_array_elements(_tables) loop
    insert into svc.transition_rule (table_name, state, next_states, event)
      select _table ->> 'table', s.key, array(select json_array_elements_text(s.value)), _table -> 'events' ->> s.key
      from json_each(_table -> 'states') s;
    execute format('create or replace trigger guard_state before insert or update of state on %s
      for each row execute function transition.guard(%L)', (_table ->> 'table')::regclass, _table ->> 'initial');
  end loop;
end $$;

create or replace function transition.guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.state is distinct from tg_argv[0] then
      raise exception 'a new row of % begins as %', tg_table_name, tg_argv[0];
    end if;
  elsif new.state is distinct from old.state
      and current_setting('transition.moving', true) is distinct from new.id || ' ' || new.state then
    raise exception 'the state of a row of % is changed only by transition.move', tg_table_name;
  end if;
  return new;
end $$;
