-- Counts a trial for each of its networks, which have limits of their own, and returns the account that pays for it,
-- with its key. The first trial makes both. Nobody has that key: it only holds the limits of a call and of a day.
create or replace function trial.admit(_id uuid, _hash bytea, _prefix text, _networks bytea[], _limits integer[], _caps jsonb)
returns json language plpgsql as $$
declare
  _account uuid := trial.open(_id, _hash, _prefix);
  _uses integer;
begin
  if exists (select from svc.account where id = _account and suspended_at is not null) then
    raise exception 'TRIAL_OFF' using errcode = 'SVC01';
  end if;
  for _place in 1 .. cardinality(_networks) loop
    insert into svc.trial_use as u (day, network, uses) values ((now() at time zone 'utc')::date, _networks[_place], 1)
      on conflict (day, network) do update set uses = u.uses + 1 returning u.uses into _uses;
    if _uses > _limits[_place] then
      raise exception 'TRIAL_LIMIT_REACHED' using errcode = 'SVC01';
    end if;
  end loop;
  perform trial.fund(_account, _caps);
  return (select json_build_object('accountId', _account, 'keyHash', encode(k.hash, 'hex')) from svc.trial t
    join svc.api_key k on k.account_id = t.account_id and k.prefix = t.key_prefix);
end $$;

-- The account that pays, which is made if there is none. Two first visitors wait for each other.
create or replace function trial.open(_id uuid, _hash bytea, _prefix text) returns uuid language plpgsql as $$
declare _account uuid;
begin
  select account_id into _account from svc.trial;
  if found then
    return _account;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('trial', 0));
  select account_id into _account from svc.trial;
  if found then
    return _account;
  end if;
  perform account.create(_id, 'Trials on the website', true);
  perform key.create(_hash, _prefix, 'test', _id, 'Trials on the website', null, null);
  insert into svc.trial (account_id, key_prefix) values (_id, _prefix);
  return _id;
end $$;

-- Sets the limits of the key, and fills the balance up to the limit of a day. What is spent on a day is limited by the key, so
-- no more than that is credited on one either.
create or replace function trial.fund(_account uuid, _caps jsonb) returns void language plpgsql as $$
declare
  _daily bigint := (_caps ->> 'dailyCapMicros')::bigint;
  _balance bigint;
  _prefix text;
begin
  select balance_micros into _balance from svc.account where id = _account for no key update;
  select t.key_prefix into _prefix from svc.trial t join svc.api_key k on k.prefix = t.key_prefix and k.account_id = t.account_id
    where k.daily_cap_micros is distinct from _daily or k.call_cap_micros is distinct from (_caps ->> 'callCapMicros')::bigint;
  if found then
    perform key.change(_account, _prefix, _caps);
  end if;
  if _balance < _daily then
    perform account.credit(_account, _daily - _balance, 'USD', 'trials');
  end if;
end $$;

-- The account that pays for trials; null where none was ever made.
create or replace function trial.find_account() returns uuid language sql stable as $$
  select account_id from svc.trial
$$;

create or replace function trial.forget_uses() returns void language sql as $$
  delete from svc.trial_use where day < (now() at time zone 'utc')::date - 1
$$;
