-- The beginning of the current hour or day of UTC.
create or replace function spending.find_start(_period text) returns timestamptz language sql stable as $$
  select date_trunc(_period, now() at time zone 'utc') at time zone 'utc'
$$;

-- What the calls of an account since then have cost. Ids of jobs begin with their time.
create or replace function spending.sum_since(_account uuid, _since timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(j.charged_micros), 0)::bigint from svc.job j
  where j.account_id = _account and j.id >= job.first_id(_since) and j.charged_micros > 0
$$;

create or replace function spending.show(_alarm svc.spend_alarm) returns json language sql stable as $$
  select json_build_object('period', _alarm.period, 'limitMicros', _alarm.limit_micros::text,
    'spentMicros', spending.sum_since(_alarm.account_id, spending.find_start(_alarm.period))::text,
    'periodStart', spending.find_start(_alarm.period),
    'isReached', coalesce(_alarm.told_for = spending.find_start(_alarm.period), false))
$$;

create or replace function spending.list(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(spending.show(a) order by a.period desc), '[]') from svc.spend_alarm a where a.account_id = _account
$$;

-- Another limit is told of again, even in a period for which the former was told.
create or replace function spending.set_alarm(_account uuid, _period text, _limit bigint) returns json language plpgsql as $$
declare
  _alarm svc.spend_alarm;
begin
  insert into svc.spend_alarm as a (account_id, period, limit_micros) values (_account, _period, _limit)
  on conflict (account_id, period) do update set limit_micros = _limit,
    told_for = case when a.limit_micros = _limit then a.told_for end
  returning * into _alarm;
  return spending.show(_alarm);
end $$;

create or replace function spending.remove_alarm(_account uuid, _period text) returns void language plpgsql as $$
begin
  delete from svc.spend_alarm where account_id = _account and period = _period;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

-- Tells the owners of accounts that have reached a limit, once for each period. Returns how many were told.
create or replace function spending.check_alarms() returns integer language plpgsql as $$
declare
  _alarm svc.spend_alarm;
  _start timestamptz;
  _spent bigint;
  _told integer := 0;
begin
  for _alarm in select * from svc.spend_alarm a where a.told_for is distinct from spending.find_start(a.period)
      order by a.account_id, a.period for update skip locked loop
    _start := spending.find_start(_alarm.period);
    _spent := spending.sum_since(_alarm.account_id, _start);
    continue when _spent < _alarm.limit_micros;
    update svc.spend_alarm set told_for = _start where account_id = _alarm.account_id and period = _alarm.period;
    perform spending.tell(_alarm, _start, _spent);
    _told := _told + 1;
  end loop;
  return _told;
end $$;

create or replace function spending.tell(_alarm svc.spend_alarm, _start timestamptz, _spent bigint) returns void
language plpgsql as $$
declare
  _facts jsonb := jsonb_build_object('period', _alarm.period, 'periodStart', _start,
    'limitMicros', _alarm.limit_micros::text, 'spentMicros', _spent::text);
begin
  perform webhook.emit(array[row(_alarm.account_id, null, 'account.spend_alarm', null, _facts)::svc.webhook_emission]);
  perform notification.tell_owner(_alarm.account_id, 'spending.alarm',
    concat_ws(' ', _alarm.period, extract(epoch from _start)::bigint, _alarm.limit_micros), _facts);
end $$;
