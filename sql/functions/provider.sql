create or replace function provider.count(_provider text, _model text, _is_ok boolean, _input bigint, _output bigint,
  _cost_micros bigint) returns void language sql as $$
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
