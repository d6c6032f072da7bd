create or replace function spending.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('period', a.period, 'limitMicros', a.limit_micros::text) order by a.period), '[]')
  from (select period, limit_micros from svc.spend_alarm where account_id = _account
    union all select 'balance', limit_micros from svc.balance_alarm where account_id = _account) a
$$;

create or replace function spending.erase_account(_account uuid) returns void language sql as $$
  delete from svc.spend_alarm where account_id = _account;
  delete from svc.balance_alarm where account_id = _account;
$$;

-- What the account of a wallet has goes to the account that the wallet joins, which keeps its own limits.
create or replace function spending.move_account(_from uuid, _to uuid) returns void language sql as $$
  insert into svc.spend_alarm (account_id, period, limit_micros)
    select _to, period, limit_micros from svc.spend_alarm where account_id = _from on conflict do nothing;
  delete from svc.spend_alarm where account_id = _from;
  insert into svc.balance_alarm (account_id, limit_micros)
    select _to, limit_micros from svc.balance_alarm where account_id = _from on conflict do nothing;
  delete from svc.balance_alarm where account_id = _from;
$$;
