-- Accounts: who they are, what they have, and what support does for them.

create view admin.account as
  select a.id, a.name, a.is_test, a.balance_micros - a.debt_micros as balance_micros, a.held_micros, a.debt_micros,
    a.credit_asset, a.created_at, a.signed_in_at, a.suspended_at, a.moved_to,
    array(select i.provider || ':' || coalesce(i.email, i.subject) from svc.identity i where i.account_id = a.id order by 1) as identities,
    array(select w.address from svc.wallet w where w.account_id = a.id order by 1) as wallets,
    r.share_percent as lane_share_percent, r.max_running as lane_max_running, coalesce(r.urgency, 0) as lane_urgency
  from svc.account a left join svc.lane_rule r on r.account_id = a.id;
comment on view admin.account is E'@primaryKey id\n@behavior +attribute:filterBy +attribute:orderBy\nWho owns money and things.';

create view admin.api_key as
  select encode(sha256(k.hash), 'hex') as id, k.account_id, k.prefix, k.mode, k.name, k.created_at, k.used_at, k.ends_at,
    k.revoked_at, k.call_cap_micros, k.daily_cap_micros, k.spent_on, k.spent_micros, k.is_connector
  from svc.api_key k;
comment on view admin.api_key is E'@primaryKey id\n@foreignKey (account_id) references admin.account (id)|@fieldName account|@foreignFieldName keys\n@behavior +attribute:filterBy\nKeys without what would let one call with them.';

create view admin.transfer as
  select t.id, t.account_id, t.job_id, t.kind, t.amount_micros, t.asset, t.service_key, t.reference, t.created_at from svc.transfer t;
comment on view admin.transfer is E'@primaryKey id\n@foreignKey (account_id) references admin.account (id)|@fieldName account|@foreignFieldName transfers\n@behavior +attribute:filterBy +attribute:orderBy\nEvery movement of money.';

-- Adds money to an account, once for a reference if there is one; an account that cannot be used any more would keep it.
create or replace function admin.credit_account(_account uuid, _amount_micros bigint, _reason text, _reference text default null)
returns admin.account
language plpgsql volatile as $$
declare
  _before jsonb;
  _earlier json;
begin
  perform operator.require('full');
  perform operator.require_first_sending();
  perform console.require_reason(_reason);
  if _amount_micros <= 0 or _amount_micros > 1000000000000 then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01',
      detail = json_build_object('field', 'amount', 'min', '0.000001', 'max', '1000000')::text;
  end if;
  _before := console.require_account(_account);
  perform from svc.account where id = _account and closed_at is null and moved_to is null for no key update;
  if not found then
    raise exception 'ACCOUNT_SUSPENDED' using errcode = 'SVC01',
      detail = '{"reason":"It is erased, or its wallet has joined another account."}';
  end if;
  if coalesce(btrim(_reference), '') = '' then
    perform account.credit(_account, _amount_micros, 'USD', 'operator ' || current_setting('operator.name'));
  else
    _earlier := account.credit_once(_account, _amount_micros, btrim(_reference));
  end if;
  if _earlier is not null then
    raise exception 'CREDITED_ALREADY' using errcode = 'SVC01', detail = _earlier::text;
  end if;
  return console.record_account('account.credit', _account, _before, _reason);
end $$;

-- Refuses every call of an account, or accepts its calls again.
create or replace function admin.suspend_account(_account uuid, _is_suspended boolean, _reason text) returns admin.account
language plpgsql volatile as $$
declare
  _before jsonb;
begin
  perform operator.require('support');
  perform console.require_reason(_reason);
  _before := console.require_account(_account);
  perform account.suspend(_account, _is_suspended);
  return console.record_account(case when _is_suspended then 'account.suspend' else 'account.resume' end, _account, _before, _reason);
end $$;

-- Sets how the jobs of an account share the lanes with those of others; null is what is standard.
create or replace function admin.share_lanes(_account uuid, _share_percent integer, _max_running integer, _urgency integer,
  _reason text) returns admin.account language plpgsql volatile as $$
declare
  _before jsonb;
begin
  perform operator.require('support');
  perform console.require_reason(_reason);
  _before := console.require_account(_account);
  perform lane.set_rule(_account, _share_percent, _max_running, _urgency);
  return console.record_account('account.share_lanes', _account, _before, _reason);
end $$;

-- Limits what a key may spend in a call and in a day; null lifts a limit.
create or replace function admin.limit_key(_account uuid, _prefix text, _call_cap_micros bigint, _daily_cap_micros bigint,
  _reason text) returns admin.api_key language plpgsql volatile as $$
declare
  _before jsonb;
  _after admin.api_key;
begin
  perform operator.require('support');
  perform console.require_reason(_reason);
  _before := to_jsonb(console.find_key(_account, _prefix)) - 'name';
  perform key.change(_account, _prefix,
    jsonb_build_object('callCapMicros', _call_cap_micros, 'dailyCapMicros', _daily_cap_micros));
  _after := console.find_key(_account, _prefix);
  perform operator.record('key.limit', _account || ' ' || _prefix, _before, to_jsonb(_after) - 'name', _reason);
  return _after;
end $$;

create or replace function admin.revoke_key(_account uuid, _prefix text, _reason text) returns boolean language plpgsql volatile as $$
begin
  perform operator.require('support');
  perform console.require_reason(_reason);
  perform key.revoke(_account, _prefix);
  perform operator.record('key.revoke', _account || ' ' || _prefix, null, null, _reason);
  return true;
end $$;
