-- In which asset the credit of an account came in, or the larger part of it: what it pays is booked in that.
alter table svc.account add column credit_asset text not null default 'USD';
update svc.account a set credit_asset = latest.symbol
  from (select distinct on (account_id) account_id, symbol from svc.chunk where is_credited
    order by account_id, created_at desc) latest
  where latest.account_id = a.id and a.balance_micros > 0;
