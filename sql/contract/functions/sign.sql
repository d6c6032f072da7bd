-- What a wallet has to sign for a party, whoever asks: the signature is what is checked.
create or replace function contract.read_for_signing(_id uuid, _key text) returns json language sql stable as $$
  select json_build_object('id', contract.format_id(c.id), 'termsHash', encode(c.terms_hash, 'hex'), 'chainId', c.chain_id,
    'party', contract.show_party(p), 'createdAt', c.created_at)
  from svc.contract c join svc.contract_party p on p.contract_id = c.id where c.id = _id and p.key = _key
$$;

create or replace function contract.lock(_id uuid) returns svc.contract language plpgsql as $$
declare
  _row svc.contract;
begin
  select * into _row from svc.contract where id = _id for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _row;
end $$;

create or replace function contract.require_pending(_row svc.contract) returns void language plpgsql as $$
begin
  if _row.state = 'expired' or (_row.state = 'pending' and _row.expires_at <= clock_timestamp()) then
    raise exception 'CONTRACT_EXPIRED' using errcode = 'SVC01';
  elsif _row.state <> 'pending' then
    raise exception 'CONTRACT_NOT_PENDING' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  end if;
end $$;

-- The party that acts: by its signature, which was checked before, or by its account. Neither does for the other.
create or replace function contract.require_party(_row svc.contract, _key text, _proof json) returns svc.contract_party
language plpgsql as $$
declare
  _party svc.contract_party;
begin
  select * into _party from svc.contract_party where contract_id = _row.id and key = _key;
  if not found then
    raise exception 'NOT_A_PARTY' using errcode = 'SVC01';
  elsif _party.method <> _proof ->> 'method' then
    raise exception 'WRONG_METHOD' using errcode = 'SVC01', detail = json_build_object('required', _party.method)::text;
  elsif _party.method = 'wallet' and _party.address is distinct from _proof ->> 'address' then
    raise exception 'NOT_A_PARTY' using errcode = 'SVC01';
  elsif _party.method = 'account' and not contract.is_account_of(_party, (_proof ->> 'account')::uuid) then
    raise exception 'NOT_A_PARTY' using errcode = 'SVC01';
  elsif _proof ->> 'termsHash' <> encode(_row.terms_hash, 'hex') then
    raise exception 'TERMS_HASH_MISMATCH' using errcode = 'SVC01',
      detail = json_build_object('termsHash', encode(_row.terms_hash, 'hex'))::text;
  end if;
  return _party;
end $$;

-- Records that a party has signed. Signatures of one contract come one after the other, so that of two that come last one makes
-- it active.
create or replace function contract.sign(_id uuid, _key text, _proof json) returns json language plpgsql as $$
declare
  _row svc.contract := contract.lock(_id);
  _party svc.contract_party := contract.require_party(_row, _key, _proof);
  _at timestamptz := coalesce((_proof ->> 'signedAt')::timestamptz, date_trunc('milliseconds', clock_timestamp()));
begin
  if _party.state = 'signed' then
    raise exception 'ALREADY_SIGNED' using errcode = 'SVC01';
  end if;
  perform contract.require_pending(_row);
  update svc.contract_party set state = 'signed', signature = _proof ->> 'signature', signed_at = _at,
    signed_by = (_proof ->> 'account')::uuid where id = _party.id;
  perform audit.append('contract', _id, _row.account_id, _key, 'signed', jsonb_strip_nulls(jsonb_build_object(
    'partyKey', _key, 'method', _party.method, 'termsHash', encode(_row.terms_hash, 'hex'), 'address', _party.address,
    'account', case when _party.method = 'account' then _proof ->> 'account' end, 'signature', _proof ->> 'signature',
    'nonce', case when _party.method = 'wallet' then '0x' || encode(_party.nonce, 'hex') end,
    'checkedBy', _proof ->> 'checkedBy', 'signedAt', extract(epoch from _at)::bigint, 'ipHash', _proof ->> 'ipHash')));
  perform contract.emit(_row, 'contract.signed', json_build_object('partyKey', _key));
  if not exists (select from svc.contract_party where contract_id = _id and is_required and state <> 'signed') then
    update svc.contract set active_at = clock_timestamp() where id = _id;
    perform contract.move(_row, 'active', _key, '{}');
    perform contract.emit(_row, 'contract.active', '{}');
    perform contract.supersede(_row);
  end if;
  perform contract.copy_log(_id);
  select * into _row from svc.contract where id = _id;
  return contract.show(_row, _row.account_id = (_proof ->> 'account')::uuid);
end $$;

create or replace function contract.supersede(_row svc.contract) returns void language plpgsql as $$
declare
  _old svc.contract;
begin
  select * into _old from svc.contract where id = _row.supersedes and state in ('pending', 'active', 'ruled') for no key update;
  if found then
    perform contract.move(_old, 'superseded', 'creator', jsonb_build_object('by', contract.format_id(_row.id)));
    perform contract.copy_log(_old.id);
  end if;
end $$;

create or replace function contract.move(_row svc.contract, _to text, _actor text, _detail jsonb) returns void language sql as $$
  select transition.move('svc.contract', _row.id, _to, _actor, jsonb_build_object('contractId', contract.format_id(_row.id),
    'title', _row.title, 'referenceId', _row.reference_id) || _detail)
$$;

create or replace function contract.emit(_row svc.contract, _event text, _detail json) returns void language sql as $$
  select webhook.emit(array[row(_row.account_id, null, _event, _row.id, (jsonb_build_object(
    'contractId', contract.format_id(_row.id), 'title', _row.title, 'referenceId', _row.reference_id)
    || _detail::jsonb)::json)::svc.webhook_emission])
$$;

-- A party declines, which ends the contract: whoever has its link, or one of its accounts.
create or replace function contract.decline(_who json, _key text, _reason text) returns json language plpgsql as $$
declare
  _found svc.contract := contract.find(_who);
  _row svc.contract := contract.lock(_found.id);
  _party svc.contract_party;
begin
  select * into _party from svc.contract_party p where p.contract_id = _row.id and p.key = _key
    and (p.token_hash = (_who ->> 'token')::bytea or contract.is_account_of(p, (_who ->> 'account')::uuid));
  if not found then
    raise exception 'NOT_A_PARTY' using errcode = 'SVC01';
  end if;
  perform contract.require_pending(_row);
  if _party.state = 'signed' then
    raise exception 'ALREADY_SIGNED' using errcode = 'SVC01';
  end if;
  update svc.contract_party set state = 'declined' where id = _party.id;
  perform contract.move(_row, 'declined', _key, jsonb_build_object('partyKey', _key, 'reason', _reason));
  perform contract.copy_log(_row.id);
  select * into _row from svc.contract where id = _row.id;
  return contract.show(_row, _row.account_id = (_who ->> 'account')::uuid);
end $$;

-- Its creator takes a contract back before all have signed.
create or replace function contract.withdraw(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _row svc.contract;
begin
  select * into _row from svc.contract where id = _id and account_id = _account for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform contract.require_pending(_row);
  perform contract.move(_row, 'withdrawn', 'creator', '{}');
  perform contract.copy_log(_id);
  select * into _row from svc.contract where id = _id;
  return contract.show(_row, true);
end $$;

-- The step: ends what was not signed in time.
create or replace function contract.expire(_id uuid) returns void language plpgsql as $$
declare
  _row svc.contract;
begin
  select * into _row from svc.contract where id = _id and state = 'pending' for no key update;
  if _row.expires_at > clock_timestamp() then
    perform step.queue('contract.expire', json_build_object('id', _id), _row.expires_at, _id::text);
  elsif found then
    perform contract.move(_row, 'expired', 'clock', '{}');
    perform contract.copy_log(_id);
  end if;
end $$;

-- The open contracts that wait for the person of an account.
create or replace function contract.list_inbox(_account uuid, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('party', found.id, 'title', found.title, 'createdAt', found.created_at,
    'expiresAt', found.expires_at) order by found.expires_at, found.id), '[]')
  from (select distinct on (c.expires_at, p.id) p.id, c.title, c.created_at, c.expires_at
    from contract.list_parties_of(_account) p join svc.contract c on c.id = p.contract_id where p.state = 'pending' and c.state = 'pending' and c.expires_at > now()
    order by c.expires_at, p.id limit _limit) found
$$;
