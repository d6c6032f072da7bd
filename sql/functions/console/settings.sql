-- Sets what a call costs; null restores what is declared. The console checks the rates against the catalogue.
create or replace function console.set_price(_service_key text, _rate_micros bigint, _base_micros bigint, _due timestamptz)
returns void language plpgsql volatile as $$
begin
  perform operator.require('full');
  perform console.change_value('price', _service_key, setting.price_value(_rate_micros, _base_micros), _due);
end $$;

create or replace function console.change_value(_kind text, _name text, _value jsonb, _due timestamptz) returns void
language plpgsql as $$
declare
  _before jsonb := console.current_value(_kind, _name);
begin
  if _due > now() then
    insert into svc.setting_change (kind, name, before, after, actor, state, due_at)
      values (_kind, _name, _before, _value, current_setting('operator.name'), 'scheduled', _due);
  else
    perform setting.apply(_kind, _name, _value);
  end if;
  perform operator.record(_kind || case when _due > now() then '.schedule' else '.set' end, _name, _before,
    jsonb_strip_nulls(jsonb_build_object('value', _value, 'due', case when _due > now() then _due end)), null);
end $$;

create or replace function console.current_value(_kind text, _name text) returns jsonb language sql stable as $$
  select case when _kind = 'price'
    then (select setting.price_value(p.rate_micros, p.base_micros) from svc.price p where p.service_key = _name)
    else (select s.value from svc.setting s where s.name = _name) end
$$;

-- What the calls of an operation came to in the last seven days, and what they would have at a price of another proportion.
create or replace function console.preview_price(_service_key text, _numerator bigint, _denominator bigint, _floor bigint,
  _ceiling bigint) returns table (day date, calls bigint, revenue_micros bigint, new_micros bigint) language sql stable as $$
  select (j.created_at at time zone 'utc')::date, count(*), sum(j.charged_micros)::bigint,
    sum(least(_ceiling, greatest(_floor, round(j.charged_micros::numeric * _numerator / _denominator))))::bigint
  from svc.job j where j.id >= job.first_id(now() - interval '7 days') and j.service_key = _service_key and j.charged_micros > 0
  group by 1 order by 1
$$;
