-- The charge of the call is written at the same time and waits for the disk: a count, of which a crash may lose the last moments,
-- does not make it wait for a second write.
create or replace function provider.count(_provider text, _model text, _is_ok boolean, _input bigint, _output bigint,
  _cost_micros bigint) returns void language sql as $$
  select set_config('synchronous_commit', 'off', true);
  insert into svc.provider_usage as u (day, provider, model, calls, failed, input_tokens, output_tokens, cost_micros)
    values ((now() at time zone 'utc')::date, _provider, _model, 1, (not _is_ok)::integer, _input, _output, _cost_micros)
    on conflict (day, provider, model) do update set calls = u.calls + 1, failed = u.failed + excluded.failed,
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
      cost_micros = u.cost_micros + excluded.cost_micros
$$;

create or replace function provider.usage(_days integer) returns table (day text, provider text, model text, calls bigint,
  failed bigint, input_tokens bigint, output_tokens bigint, cost_micros bigint) language sql stable as $$
  select u.day::text, u.provider, u.model, u.calls, u.failed, u.input_tokens, u.output_tokens, u.cost_micros
    from svc.provider_usage u where u.day > (now() at time zone 'utc')::date - _days order by u.day desc, u.provider, u.model
$$;

-- Takes the next turn with a provider and tells in how many milliseconds it comes; null if that is longer than the most,
-- and no turn is taken then.
create or replace function provider.take_turn(_provider text, _interval_ms double precision, _max_wait_ms integer)
returns double precision language plpgsql as $$
declare
  _now timestamptz := clock_timestamp();
  _at timestamptz;
begin
  insert into svc.provider_turn (provider, next_at) values (_provider, _now) on conflict do nothing;
  select greatest(next_at, _now) into _at from svc.provider_turn where provider = _provider for update;
  _at := greatest(_at, clock_timestamp());
  if _at > clock_timestamp() + _max_wait_ms * interval '1 ms' then
    return null;
  end if;
  update svc.provider_turn set next_at = _at + _interval_ms * interval '1 ms' where provider = _provider;
  return greatest(0, extract(epoch from _at - clock_timestamp()) * 1000);
end $$;

create or replace function provider.recall(_key text) returns jsonb language sql stable as $$
  select answer from svc.geocode_memory where key = _key and expires_at > now()
$$;

-- Each answer that is kept removes some that are too old, so that none stay for long.
create or replace function provider.keep(_key text, _answer jsonb, _days integer) returns void language sql as $$
  delete from svc.geocode_memory where key in
    (select key from svc.geocode_memory where expires_at < now() order by expires_at limit 10 for update skip locked);
  insert into svc.geocode_memory (key, answer, expires_at) values (_key, _answer, now() + _days * interval '1 day')
    on conflict (key) do update set answer = excluded.answer, expires_at = excluded.expires_at
$$;
