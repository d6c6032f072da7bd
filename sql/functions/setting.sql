create or replace function setting.read() returns table (name text, value jsonb) language sql stable as $$
  select s.name, s.value from svc.setting s
$$;

create or replace function setting.write(_name text, _value jsonb) returns void language plpgsql as $$
begin
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
  if _rate_micros is null then
    delete from svc.price where service_key = _service_key;
  else
    insert into svc.price (service_key, rate_micros, base_micros) values (_service_key, _rate_micros, _base_micros)
      on conflict (service_key) do update
        set rate_micros = excluded.rate_micros, base_micros = excluded.base_micros, updated_at = now();
  end if;
  perform pg_notify('changed', 'setting');
end $$;
