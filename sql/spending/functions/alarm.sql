-- Former functions, whose arguments have changed.
drop function if exists spending.find_start(text), spending.sum_since(uuid, timestamptz), spending.check_alarms();

-- The beginning of the hour or day of UTC that a time is in.
create or replace function spending.find_start(_period text, _at timestamptz default now()) returns timestamptz
language sql stable as $$
  select date_trunc(_period, _at at time zone 'utc') at time zone 'utc'
$$;

-- The beginning of the hour or day before that.
create or replace function spending.find_previous(_period text, _at timestamptz default now()) returns timestamptz
language sql stable as $$
  select spending.find_start(_period, _at) - ('1 ' || _period)::interval
$$;

-- What the calls of an account from then on have cost, or those of the period that began then. Ids of jobs begin with their time.
create or replace function spending.sum_between(_account uuid, _since timestamptz, _until timestamptz default null)
returns bigint language sql stable as $$
  select coalesce(sum(j.charged_micros), 0)::bigint from svc.job j
  where j.account_id = _account and j.id >= job.first_id(_since) and j.charged_micros > 0
    and j.id < job.first_id(coalesce(_until, now() + interval '1 day'))
$$;

create or replace function spending.show(_alarm svc.spend_alarm) returns json language sql stable as $$
  select json_build_object('period', _alarm.period, 'limitMicros', _alarm.limit_micros::text,
    'spentMicros', spending.sum_between(_alarm.account_id, spending.find_start(_alarm.period))::text,
    'periodStart', spending.find_start(_alarm.period),
    'isReached', coalesce(_alarm.told_for = spending.find_start(_alarm.period), false))
$$;

create or replace function spending.list(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(spending.show(a) order by a.period desc), '[]') from svc.spend_alarm a where a.account_id = _account
$$;

-- Another limit is told of again, even in a period for which the former was told, but not for a period that was over before.
create or replace function spending.set_alarm(_account uuid, _period text, _limit bigint) returns json language plpgsql as $$
declare
  _alarm svc.spend_alarm;
begin
  insert into svc.spend_alarm as a (account_id, period, limit_micros, told_for)
    values (_account, _period, _limit, spending.find_previous(_period))
  on conflict (account_id, period) do update set limit_micros = _limit,
    told_for = case when a.limit_micros = _limit then a.told_for else excluded.told_for end
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

-- Tells the owners of accounts that have reached a limit, once for each period. A limit may be reached after the last check of a
-- period, and calls are charged when they end, so a period is looked at for some minutes longer. Returns how many were told.
create or replace function spending.check_alarms(_at timestamptz default now()) returns integer language plpgsql as $$
declare
  _alarm svc.spend_alarm;
  _current timestamptz;
  _previous timestamptz;
  _told integer := 0;
begin
  for _alarm in select * from svc.spend_alarm a where a.told_for is distinct from spending.find_start(a.period, _at)
      order by a.account_id, a.period for update skip locked loop
    _current := spending.find_start(_alarm.period, _at);
    _previous := spending.find_previous(_alarm.period, _at);
    if _at < _current + interval '10 minutes' and coalesce(_alarm.told_for < _previous, true) then
      _told := _told + spending.check_period(_alarm, _previous, _current);
    end if;
    _told := _told + spending.check_period(_alarm, _current, null);
  end loop;
  return _told;
end $$;

-- Returns 1 if the owner is told of a period.
create or replace function spending.check_period(_alarm svc.spend_alarm, _start timestamptz, _until timestamptz) returns integer
language plpgsql as $$
declare
  _spent bigint := spending.sum_between(_alarm.account_id, _start, _until);
begin
  if _spent < _alarm.limit_micros then
    return 0;
  end if;
  update svc.spend_alarm set told_for = _start where account_id = _alarm.account_id and period = _alarm.period;
  perform spending.tell(_alarm, _start, _spent);
  return 1;
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
