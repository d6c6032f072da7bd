-- Decision 0330: prove contracts by a log that anyone can check.

create or replace function contract.format_id(_id uuid) returns text language sql immutable as $$
  select 'ctr_' || replace(_id::text, '-', '')
$$;

-- Makes a contract that `_job` pays for, with its ledger.
create or replace function contract.create(_job json, _fields json, _parties json, _baton json, _invitations json,
  _max_open integer) returns json language plpgsql as $$
declare
  _row svc.contract := json_populate_record(null::svc.contract, _fields);
  _old svc.contract;
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('contracts ' || _row.account_id, 0));
  if _max_open <= (select count(*) from svc.contract c where c.account_id = _row.account_id and c.state = 'pending') then
    raise exception 'TOO_MANY_CONTRACTS' using errcode = 'SVC01', detail = json_build_object('max', _max_open)::text;
  end if;
  if _row.supersedes is not null then
    select * into _old from svc.contract where id = _row.supersedes and account_id = _row.account_id;
    if not found then
      raise exception 'NOT_FOUND' using errcode = 'SVC01', detail = '{"field":"supersedes"}';
    elsif _old.state not in ('pending', 'active', 'ruled') then
      raise exception 'NOT_SUPERSEDABLE' using errcode = 'SVC01', detail = json_build_object('status', _old.state)::text;
    end if;
  end if;
  insert into svc.contract (id, account_id, job_id, title, document, terms_hash, chain_id, reference_id, metadata, supersedes,
      baton_id, expires_at)
    values (_row.id, _row.account_id, (_job ->> 'id')::uuid, _row.title, _row.document,
      sha256(convert_to(_row.document, 'utf8')), _row.chain_id, _row.reference_id, _row.metadata, _row.supersedes,
      (_baton ->> 'id')::uuid, _row.expires_at) returning * into _row;
  insert into svc.contract_party (id, contract_id, position, key, name, role, method, address, customer_id, email, is_required,
      nonce, token_hash)
    select (p ->> 'id')::uuid, _row.id, n, p ->> 'key', p ->> 'name', p ->> 'role', p ->> 'method', p ->> 'address',
      (p ->> 'customerId')::uuid, p ->> 'email', (p ->> 'required')::boolean, (p ->> 'nonce')::bytea, (p ->> 'tokenHash')::bytea
    from json_array_elements(_parties) with ordinality t (p, n);
  if _old.id is not null and contract.list_identities(_old.id) <> contract.list_identities(_row.id) then
    raise exception 'NOT_SUPERSEDABLE' using errcode = 'SVC01', detail = '{"reason":"it has other parties"}';
  end if;
  perform audit.append('contract', _row.id, _row.account_id, 'creator', 'created', jsonb_build_object(
    'contractId', contract.format_id(_row.id), 'termsHash', encode(_row.terms_hash, 'hex'),
    'expiresAt', contract.format_time(_row.expires_at)));
  perform baton.insert_new(_row.account_id, (_job ->> 'id')::uuid, _baton, null);
  perform contract.copy_log(_row.id);
  perform step.queue('contract.expire', json_build_object('id', _row.id), _row.expires_at, _row.id::text);
  perform notification.queue(i.id, _row.account_id, 'contract.invitation', i.key, i.recipient, i.data, i.sealed)
    from json_to_recordset(_invitations) i (id uuid, key text, recipient text, data jsonb, sealed text);
  _result := contract.show(_row, true);
  perform job.settle(_job, _result);
  return _result;
end $$;

-- Who the parties are, whatever they are called.
create or replace function contract.list_identities(_contract uuid) returns text[] language sql stable as $$
  select array_agg(coalesce(p.address, p.customer_id::text, p.email) order by coalesce(p.address, p.customer_id::text, p.email))
  from svc.contract_party p where p.contract_id = _contract
$$;

create or replace function contract.format_time(_time timestamptz) returns text language sql immutable as $$
  select to_char(_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Copies what is new in the log of a contract into its ledger.
create or replace function contract.copy_log(_id uuid) returns void language sql as $$
  update svc.contract set copied_entries = baton.copy_log(baton_id, 'contract', id, copied_entries) where id = _id
$$;

-- A contract as those see it who take part. Its creator sees what is his own too.
create or replace function contract.show(_row svc.contract, _is_creator boolean) returns json language sql stable as $$
  select json_build_object('id', contract.format_id(_row.id), 'status', _row.state, 'title', _row.title,
    'document', _row.document::json, 'termsHash', encode(_row.terms_hash, 'hex'), 'chainId', _row.chain_id,
    'parties', (select json_agg(contract.show_party(p) order by p.position) from svc.contract_party p
      where p.contract_id = _row.id),
    'allSigned', not exists (select from svc.contract_party p where p.contract_id = _row.id and p.is_required
      and p.state <> 'signed'),
    'signatures', contract.list_signatures(_row.id),
    'log', (select json_build_object('entries', count(*), 'head', (array_agg(encode(e.hash, 'hex') order by e.seq desc))[1])
      from svc.audit_entry e where e.subject_kind = 'contract' and e.subject_id = _row.id),
    'disputes', (select coalesce(json_agg(contract.show_dispute(d) order by d.created_at), '[]')
      from svc.contract_dispute d where d.contract_id = _row.id),
    'supersedes', contract.format_id(_row.supersedes),
    'supersededBy', (select contract.format_id(c.id) from svc.contract c where c.supersedes = _row.id and c.active_at is not null
      order by c.active_at limit 1),
    'referenceId', case when _is_creator then _row.reference_id end, 'metadata', case when _is_creator then _row.metadata end,
    'batonId', case when _is_creator then _row.baton_id end, 'isCreator', coalesce(_is_creator, false), 'createdAt', _row.created_at,
    'expiresAt', _row.expires_at, 'activeAt', _row.active_at, 'statusAt', _row.state_at)
$$;

-- The signatures of a contract as its log has them, in their order there.
create or replace function contract.list_signatures(_contract uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_strip_nulls(json_build_object('partyKey', p.key, 'method', p.method, 'address', p.address,
    'accountRef', e.detail ->> 'account', 'signedAt', p.signed_at, 'signature', e.detail ->> 'signature', 'entrySeq', e.seq))
    order by e.seq), '[]')
  from svc.audit_entry e join svc.contract_party p on p.contract_id = _contract and p.key = e.detail ->> 'partyKey'
  where e.subject_kind = 'contract' and e.subject_id = _contract and e.action = 'signed'
$$;

create or replace function contract.show_party(_party svc.contract_party) returns json language sql immutable as $$
  select json_build_object('id', _party.id, 'key', _party.key, 'name', _party.name, 'role', _party.role, 'method', _party.method,
    'address', _party.address, 'customerId', _party.customer_id, 'email', _party.email, 'required', _party.is_required,
    'nonce', '0x' || encode(_party.nonce, 'hex'), 'status', _party.state, 'signature', _party.signature,
    'signedAt', _party.signed_at)
$$;

-- A contract for whoever takes part: its creator, an account or a wallet of a party, or whoever has the link of one. To others it
-- is as if there were none.
create or replace function contract.find(_who json) returns svc.contract language plpgsql stable as $$
declare
  _row svc.contract;
begin
  if _who ->> 'token' is not null then
    select c.* into _row from svc.contract c join svc.contract_party p on p.contract_id = c.id
      where p.token_hash = (_who ->> 'token')::bytea;
  else
    select c.* into _row from svc.contract c where c.id = (_who ->> 'contract')::uuid
      and (c.account_id = (_who ->> 'account')::uuid or exists (select from svc.contract_party p
        where p.contract_id = c.id and contract.is_account_of(p, (_who ->> 'account')::uuid)));
  end if;
  if _row.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _row;
end $$;

-- Whether an account belongs to a party: it is named, or has proved the mail address or the wallet. Never null, because a
-- caller that asks `not` would let every account pass for a party that names none.
create or replace function contract.is_account_of(_party svc.contract_party, _account uuid) returns boolean language sql stable as $$
  select _account is not null and (coalesce(_party.customer_id = _account, false)
    or exists (select from svc.identity i where i.account_id = _account and lower(i.email) = _party.email)
    or exists (select from svc.wallet w where w.account_id = _account and w.address = _party.address))
$$;

create or replace function contract.read(_who json) returns json language plpgsql stable as $$
declare
  _row svc.contract := contract.find(_who);
begin
  return contract.show(_row, _row.account_id = (_who ->> 'account')::uuid)::jsonb || jsonb_build_object('partyKey', (
    select p.key from svc.contract_party p where p.contract_id = _row.id and (p.token_hash = (_who ->> 'token')::bytea
      or (_who ->> 'token' is null and contract.is_account_of(p, (_who ->> 'account')::uuid))) order by p.position limit 1));
end $$;

-- The parties that an account belongs to, each by an index of its own.
create or replace function contract.list_parties_of(_account uuid) returns setof svc.contract_party language sql stable as $$
  select * from svc.contract_party where customer_id = _account
  union all
  select p.* from svc.identity i join svc.contract_party p on p.email = lower(i.email) where i.account_id = _account
  union all
  select p.* from svc.wallet w join svc.contract_party p on p.address = w.address where w.account_id = _account
$$;

-- Those of an account: which it has made, or to which it is a party.
create or replace function contract.list(_account uuid, _state text, _limit integer, _offset integer) returns json
language sql stable as $$
  with own as (
    select k.id from svc.contract k where k.account_id = _account
    union
    select p.contract_id from contract.list_parties_of(_account) p)
  select coalesce(json_agg(contract.show(c::svc.contract, c.account_id = _account) order by c.created_at desc, c.id), '[]') from (
    select k.* from own join svc.contract k using (id) where _state is null or k.state = _state
    order by k.created_at desc, k.id limit _limit offset _offset) c
$$;

-- All that is needed to check a contract without the service.
create or replace function contract.read_bundle(_who json) returns json language plpgsql stable as $$
declare
  _row svc.contract := contract.find(_who);
begin
  return json_build_object('contract', contract.show(_row, false), 'document', _row.document,
    'log', (select json_agg(json_build_object('text', audit.text(e), 'hash', encode(e.hash, 'hex')) order by e.seq)
      from svc.audit_entry e where e.subject_kind = 'contract' and e.subject_id = _row.id));
end $$;
