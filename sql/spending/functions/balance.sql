create or replace function spending.show_balance_alarm(_alarm svc.balance_alarm) returns json language sql stable as $$
  select json_build_object('limitMicros', _alarm.limit_micros::text, 'balanceMicros', (a.balance_micros - a.debt_micros)::text,
    'isReached', _alarm.is_told)
  from svc.account a where a.id = _alarm.account_id
$$;

-- Null if there is none.
create or replace function spending.find_balance_alarm(_account uuid) returns json language sql stable as $$
  select spending.show_balance_alarm(b) from svc.balance_alarm b where b.account_id = _account
$$;

create or replace function spending.read_balance_alarm(_account uuid) returns json language plpgsql stable as $$
declare
  _alarm json := spending.find_balance_alarm(_account);
begin
  if _alarm is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _alarm;
end $$;

-- Another limit is told of again, also while the balance is below it already.
create or replace function spending.set_balance_alarm(_account uuid, _limit bigint) returns json language plpgsql as $$
declare
  _alarm svc.balance_alarm;
begin
  insert into svc.balance_alarm as a (account_id, limit_micros) values (_account, _limit)
  on conflict (account_id) do update set limit_micros = _limit, is_told = a.is_told and a.limit_micros = _limit
  returning * into _alarm;
  return spending.show_balance_alarm(_alarm);
end $$;

create or replace function spending.remove_balance_alarm(_account uuid) returns void language plpgsql as $$
begin
  delete from svc.balance_alarm where account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

-- Tells the owners of accounts whose balance has fallen below its limit, once until it is as high again. Money that is held for
-- calls that still run counts as gone. Returns how many were told.
create or replace function spending.check_balances() returns integer language plpgsql as $$
declare
  _alarm svc.balance_alarm;
  _balance bigint;
  _told integer := 0;
begin
  for _alarm in select b.* from svc.balance_alarm b join svc.account a on a.id = b.account_id
      where b.is_told <> (a.balance_micros - a.debt_micros < b.limit_micros) order by b.account_id for update of b skip locked loop
    select balance_micros - debt_micros into _balance from svc.account where id = _alarm.account_id;
    update svc.balance_alarm set is_told = _balance < limit_micros where account_id = _alarm.account_id;
    if _balance < _alarm.limit_micros and not _alarm.is_told then
      perform spending.tell_balance(_alarm, _balance);
      _told := _told + 1;
    end if;
  end loop;
  return _told;
end $$;

create or replace function spending.tell_balance(_alarm svc.balance_alarm, _balance bigint) returns void language plpgsql as $$
declare
  _facts jsonb := jsonb_build_object('limitMicros', _alarm.limit_micros::text, 'balanceMicros', _balance::text);
begin
  perform webhook.emit(array[row(_alarm.account_id, null, 'account.balance_low', null, _facts)::svc.webhook_emission]);
  perform notification.tell_owner(_alarm.account_id, 'spending.balance_low',
    'balance ' || extract(epoch from clock_timestamp()) || ' ' || _alarm.limit_micros, _facts);
end $$;
