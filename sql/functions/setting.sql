create or replace function setting.read() returns table (name text, value jsonb) language sql stable as $$
  select s.name, s.value from svc.setting s
$$;

-- Changes a setting; null restores what is standard. Every change is kept with who made it.
create or replace function setting.write(_name text, _value jsonb) returns void language plpgsql as $$
begin
  perform setting.note('setting', _name, (select s.value from svc.setting s where s.name = _name), _value);
  if _value is null then
    delete from svc.setting where name = _name;
  else
    insert into svc.setting (name, value) values (_name, _value)
      on conflict (name) do update set value = excluded.value, updated_at = now();
  end if;
  perform pg_notify('changed', 'setting');
end $$;

-- Of the deploy before this one, which knew no base. The next deploy drops it and setting.write_price.
create or replace function setting.prices() returns table (service_key text, rate_micros bigint) language sql stable as $$
  select p.service_key, p.rate_micros from svc.price p
$$;

create or replace function setting.write_price(_service_key text, _rate_micros bigint) returns void language plpgsql as $$
begin
  if _rate_micros is null then
    delete from svc.price where service_key = _service_key;
  else
    insert into svc.price (service_key, rate_micros) values (_service_key, _rate_micros)
      on conflict (service_key) do update set rate_micros = excluded.rate_micros, updated_at = now();
  end if;
  perform pg_notify('changed', 'setting');
end $$;

-- What the operator has set in place of declared prices. Without a base the declared one stays.
create or replace function setting.rates() returns table (service_key text, rate_micros bigint, base_micros bigint)
language sql stable as $$
  select p.service_key, p.rate_micros, p.base_micros from svc.price p
$$;

create or replace function setting.write_rates(_service_key text, _rate_micros bigint, _base_micros bigint) returns void
language plpgsql as $$
begin
  perform setting.note('price', _service_key, (select setting.price_value(p.rate_micros, p.base_micros)
    from svc.price p where p.service_key = _service_key), setting.price_value(_rate_micros, _base_micros));
  if _rate_micros is null then
    delete from svc.price where service_key = _service_key;
  else
    insert into svc.price (service_key, rate_micros, base_micros) values (_service_key, _rate_micros, _base_micros)
      on conflict (service_key) do update
        set rate_micros = excluded.rate_micros, base_micros = excluded.base_micros, updated_at = now();
  end if;
  perform pg_notify('changed', 'setting');
end $$;

create or replace function setting.price_value(_rate_micros bigint, _base_micros bigint) returns jsonb language sql immutable as $$
  select case when _rate_micros is not null then jsonb_strip_nulls(jsonb_build_object('rateMicros', _rate_micros::text,
    'baseMicros', _base_micros::text)) end
$$;

-- Keeps a change with who made it: an operator of the console, or whoever has the command line.
create or replace function setting.note(_kind text, _name text, _before jsonb, _after jsonb) returns void language sql as $$
  insert into svc.setting_change (kind, name, before, after, actor, state)
  select _kind, _name, _before, _after, coalesce(nullif(current_setting('operator.name', true), ''), 'command line'), 'applied'
  where _before is distinct from _after
$$;

-- Tells the database which settings there are, so that none is set to what the program would not take.
create or replace function setting.declare(_tunables json) returns void language sql as $$
  delete from svc.tunable;
  insert into svc.tunable (name, kind, standard, least, most, words, summary)
    select t.* from json_to_recordset(_tunables)
      as t (name text, kind text, standard jsonb, least double precision, most double precision, words jsonb, summary text)
$$;

-- Why a value is not allowed for a setting; null if it is.
create or replace function setting.find_fault(_name text, _value jsonb) returns text language plpgsql stable as $$
declare
  _tunable svc.tunable;
begin
  select * into _tunable from svc.tunable where name = _name;
  return case
    when _tunable.name is null then 'there is no such setting'
    when _value is null then null
    when _tunable.kind = 'list' and (jsonb_typeof(_value) <> 'array' or exists (
      select from jsonb_array_elements(_value) e where jsonb_typeof(e) <> 'string')) then 'it must be a list of texts'
    when _tunable.kind = 'list' and not coalesce(_value <@ _tunable.words, true)
      then format('it may have only %s', (select string_agg(w, ', ') from jsonb_array_elements_text(_tunable.words) w))
    when _tunable.kind <> 'list' and jsonb_typeof(_value) <> _tunable.kind then 'it must be a ' || _tunable.kind
    when _tunable.kind = 'number' and not (_value::text::double precision between _tunable.least and _tunable.most)
      then format('it must be from %s to %s', _tunable.least, _tunable.most)
    when _tunable.kind = 'number' and _value::text::numeric % 1 <> 0 then 'it must be a whole number'
  end;
end $$;

-- Makes a change now.
create or replace function setting.apply(_kind text, _name text, _value jsonb) returns void language plpgsql as $$
begin
  if _kind = 'price' then
    perform setting.write_rates(_name, (_value ->> 'rateMicros')::bigint, (_value ->> 'baseMicros')::bigint);
  else
    perform setting.write(_name, _value);
  end if;
end $$;

-- Makes the changes whose time has come, in their order.
create or replace function setting.apply_due() returns integer language plpgsql as $$
declare
  _change svc.setting_change;
  _applied integer := 0;
begin
  for _change in select * from svc.setting_change where state = 'scheduled' and due_at <= now() order by due_at, id
    for update skip locked loop
    perform set_config('operator.name', _change.actor, true);
    perform setting.apply(_change.kind, _change.name, _change.after);
    -- What was scheduled is shown by the change that it made.
    delete from svc.setting_change where id = _change.id;
    _applied := _applied + 1;
  end loop;
  return _applied;
end $$;
