-- Decision 0331: arbitrate by a model or an operator.

-- Opens a dispute, which `_job` pays for. It is given back if nobody rules.
create or replace function contract.open_dispute(_job json, _who json, _fields json, _evidence json, _max_each integer) returns json
language plpgsql as $$
declare
  _found svc.contract := contract.find(_who);
  _row svc.contract := contract.lock(_found.id);
  _key text := contract.require_own_party(_row, _who, _fields ->> 'partyKey');
  _terms json := _row.document::json -> 'arbitration';
  _dispute svc.contract_dispute;
  _result json;
begin
  if _terms is null then
    raise exception 'ARBITRATION_NOT_AGREED' using errcode = 'SVC01';
  elsif _row.state = 'disputed' then
    raise exception 'DISPUTE_OPEN' using errcode = 'SVC01';
  elsif _row.state <> 'active' then
    raise exception 'CONTRACT_NOT_ACTIVE' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  elsif _terms ->> 'arbitrator' = 'ai' and not (_fields ->> 'hasModel')::boolean then
    raise exception 'PROVIDER_NOT_CONFIGURED' using errcode = 'SVC01', detail = '{"capability":"llm","set":"LLM_PROVIDER"}';
  end if;
  perform contract.require_signer(_row, _key);
  insert into svc.contract_dispute (id, contract_id, account_id, job_id, charged_micros, claimant, claim, relief, evidence_until,
      ruling_until)
    values ((_fields ->> 'id')::uuid, _row.id, (_job ->> 'account')::uuid, (_job ->> 'id')::uuid, (_job ->> 'charge')::bigint, _key,
      _fields ->> 'claim', _fields ->> 'relief',
      clock_timestamp() + make_interval(hours => (_terms ->> 'evidenceWindowHours')::integer),
      case when _terms ->> 'arbitrator' = 'operator' then clock_timestamp() + make_interval(
        hours => (_terms ->> 'evidenceWindowHours')::integer, days => (_fields ->> 'operatorDays')::integer) end)
    returning * into _dispute;
  perform contract.move(_row, 'disputed', _key, jsonb_build_object('disputeId', contract.format_dispute_id(_dispute.id),
    'claimSha256', encode(sha256(convert_to(_dispute.claim || chr(10) || _dispute.relief, 'utf8')), 'hex')));
  perform contract.add_evidence_of(_row, _dispute, _key, e, _max_each) from json_array_elements(_evidence) e;
  perform contract.copy_log(_row.id);
  perform step.queue('contract.deliberate', json_build_object('id', _dispute.id), _dispute.evidence_until, _dispute.id::text);
  _result := contract.show_dispute(_dispute)::jsonb || jsonb_build_object('ticket', _dispute.job_id);
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function contract.format_dispute_id(_id uuid) returns text language sql immutable as $$
  select 'dsp_' || replace(_id::text, '-', '')
$$;

-- The key of a party for which whoever asks may act: by its link, or by an account of it.
create or replace function contract.require_own_party(_row svc.contract, _who json, _key text) returns text language plpgsql as $$
begin
  if not exists (select from svc.contract_party p where p.contract_id = _row.id and p.key = _key
      and (p.token_hash = (_who ->> 'token')::bytea or contract.is_account_of(p, (_who ->> 'account')::uuid))) then
    raise exception 'NOT_A_PARTY' using errcode = 'SVC01';
  end if;
  return _key;
end $$;

-- A party that did not have to sign, and has not, takes no part in disputes.
create or replace function contract.require_signer(_row svc.contract, _key text) returns void language plpgsql as $$
begin
  if not exists (select from svc.contract_party p where p.contract_id = _row.id and p.key = _key and p.state = 'signed') then
    raise exception 'NOT_A_PARTY' using errcode = 'SVC01', detail = '{"reason":"it has not signed"}';
  end if;
end $$;

create or replace function contract.add_evidence_of(_row svc.contract, _dispute svc.contract_dispute, _key text, _evidence json,
  _max_each integer) returns svc.contract_evidence language plpgsql as $$
declare
  _new svc.contract_evidence;
begin
  if (select count(*) from svc.contract_evidence where dispute_id = _dispute.id and party_key = _key) >= _max_each then
    raise exception 'TOO_MUCH_EVIDENCE' using errcode = 'SVC01', detail = json_build_object('max', _max_each)::text;
  end if;
  insert into svc.contract_evidence (id, dispute_id, position, party_key, title, content, sha256)
    values ((_evidence ->> 'id')::uuid, _dispute.id,
      (select count(*) + 1 from svc.contract_evidence where dispute_id = _dispute.id), _key, _evidence ->> 'title',
      _evidence ->> 'text', coalesce(decode(_evidence ->> 'sha256', 'hex'), sha256(convert_to(_evidence ->> 'text', 'utf8')),
        sha256(decode(_evidence #>> '{file,base64}', 'base64'))))
    returning * into _new;
  perform contract.keep_file(_new, _evidence -> 'file', (_evidence ->> 'maxFileBytes')::bigint);
  perform audit.append('contract', _row.id, _row.account_id, _key, 'evidence', jsonb_build_object(
    'disputeId', contract.format_dispute_id(_dispute.id), 'evidenceId', 'e' || _new.position, 'title', _new.title,
    'sha256', encode(_new.sha256, 'hex')));
  return _new;
end $$;

-- Keeps the file of evidence, if it has one, unless the files of its party in this dispute have more bytes than allowed.
create or replace function contract.keep_file(_evidence svc.contract_evidence, _file json, _max_bytes bigint) returns void
language plpgsql as $$
begin
  if _file is null then
    return;
  end if;
  insert into svc.contract_file (evidence_id, name, content_type, content)
    values (_evidence.id, _file ->> 'name', _file ->> 'contentType', decode(_file ->> 'base64', 'base64'));
  if _max_bytes < (select sum(octet_length(f.content)) from svc.contract_file f join svc.contract_evidence e on e.id = f.evidence_id
      where e.dispute_id = _evidence.dispute_id and e.party_key = _evidence.party_key) then
    raise exception 'TOO_MUCH_EVIDENCE' using errcode = 'SVC01', detail = json_build_object('maxBytes', _max_bytes)::text;
  end if;
end $$;

create or replace function contract.show_file(_evidence uuid) returns json language sql stable as $$
  select json_build_object('name', f.name, 'contentType', f.content_type, 'sizeBytes', octet_length(f.content))
  from svc.contract_file f where f.evidence_id = _evidence
$$;

-- The file of evidence for whoever takes part in the contract.
create or replace function contract.read_file(_who json, _id uuid, _position integer)
returns table (name text, content_type text, sha256 text, content bytea) language plpgsql stable as $$
declare
  _dispute svc.contract_dispute := contract.find_dispute(_who, _id);
begin
  return query select f.name, f.content_type, encode(e.sha256, 'hex'), f.content
    from svc.contract_evidence e join svc.contract_file f on f.evidence_id = e.id
    where e.dispute_id = _dispute.id and e.position = _position;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

create or replace function contract.show_dispute(_dispute svc.contract_dispute) returns json language sql stable as $$
  select json_build_object('disputeId', contract.format_dispute_id(_dispute.id), 'contractId', contract.format_id(_dispute.contract_id),
    'status', _dispute.state, 'claimant', _dispute.claimant, 'claim', _dispute.claim, 'requestedRelief', _dispute.relief,
    'evidenceDeadline', _dispute.evidence_until, 'evidence', (
      select coalesce(json_agg(json_build_object('id', 'e' || e.position, 'partyKey', e.party_key, 'title', e.title,
        'text', e.content, 'file', contract.show_file(e.id), 'sha256', encode(e.sha256, 'hex'), 'createdAt', e.created_at) order by e.position), '[]')
      from svc.contract_evidence e where e.dispute_id = _dispute.id),
    'rulingUntil', _dispute.ruling_until, 'ruling', _dispute.ruling, 'jws', _dispute.ruling_jws, 'createdAt', _dispute.created_at, 'endedAt', _dispute.ended_at)
$$;

-- A dispute for whoever takes part in its contract.
create or replace function contract.find_dispute(_who json, _id uuid) returns svc.contract_dispute language plpgsql stable as $$
declare
  _row svc.contract := contract.find(_who);
  _dispute svc.contract_dispute;
begin
  select * into _dispute from svc.contract_dispute where id = _id and contract_id = _row.id;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _dispute;
end $$;

create or replace function contract.read_dispute(_who json, _id uuid) returns json language sql stable as $$
  select contract.show_dispute(contract.find_dispute(_who, _id))
$$;

create or replace function contract.add_evidence(_who json, _id uuid, _key text, _evidence json, _max_each integer) returns json
language plpgsql as $$
declare
  _found svc.contract_dispute := contract.find_dispute(_who, _id);
  _row svc.contract := contract.lock(_found.contract_id);
  _dispute svc.contract_dispute := contract.find_dispute(_who, _id);
begin
  perform contract.require_own_party(_row, _who, _key);
  perform contract.require_signer(_row, _key);
  if _dispute.state <> 'open' or _dispute.evidence_until <= clock_timestamp() then
    raise exception 'EVIDENCE_CLOSED' using errcode = 'SVC01', detail = json_build_object('status', _dispute.state)::text;
  end if;
  perform contract.add_evidence_of(_row, _dispute, _key, _evidence, _max_each);
  perform contract.copy_log(_row.id);
  return contract.show_dispute(_dispute);
end $$;

-- Whoever has opened a dispute takes it back while evidence is taken.
create or replace function contract.withdraw_dispute(_who json, _id uuid) returns json language plpgsql as $$
declare
  _found svc.contract_dispute := contract.find_dispute(_who, _id);
  _row svc.contract := contract.lock(_found.contract_id);
  _dispute svc.contract_dispute := contract.find_dispute(_who, _id);
begin
  perform contract.require_own_party(_row, _who, _dispute.claimant);
  if _dispute.state <> 'open' then
    raise exception 'EVIDENCE_CLOSED' using errcode = 'SVC01', detail = json_build_object('status', _dispute.state)::text;
  end if;
  return contract.end_dispute(_row, _dispute, 'withdrawn', _dispute.claimant);
end $$;

-- Ends a dispute without a ruling: the contract is active again, and what was paid is given back.
create or replace function contract.end_dispute(_row svc.contract, _dispute svc.contract_dispute, _state text, _actor text)
returns json language plpgsql as $$
begin
  update svc.contract_dispute set state = _state, ended_at = clock_timestamp() where id = _dispute.id returning * into _dispute;
  perform contract.move(_row, 'active', _actor, jsonb_build_object('disputeId', contract.format_dispute_id(_dispute.id),
    'dispute', _state));
  perform contract.copy_log(_row.id);
  if exists (select from svc.account where id = _dispute.account_id) then
    perform ledger.refund(_dispute.job_id, _dispute.charged_micros);
  end if;
  return contract.show_dispute(_dispute);
end $$;

-- What is to be decided, once the time for evidence is over; null before that, and if it is decided. With a model, the dispute is
-- deliberated from then on. The operator has some days; a dispute that nobody rules upon ends without a ruling.
create or replace function contract.take_dispute(_id uuid) returns json language plpgsql as $$
declare
  _dispute svc.contract_dispute;
  _row svc.contract;
begin
  select * into _dispute from svc.contract_dispute where id = _id and state in ('open', 'deliberating');
  if not found then
    return null;
  end if;
  _row := contract.lock(_dispute.contract_id);
  select * into _dispute from svc.contract_dispute where id = _id and state in ('open', 'deliberating');
  if not found then
    return null;
  elsif _dispute.evidence_until > clock_timestamp() then
    perform step.queue('contract.deliberate', json_build_object('id', _id), _dispute.evidence_until, _id::text);
    return null;
  end if;
  update svc.contract_dispute set state = 'deliberating', attempts = attempts + 1 where id = _id returning * into _dispute;
  if _dispute.ruling_until <= clock_timestamp() then
    perform contract.end_dispute(_row, _dispute, 'failed', 'clock');
    return null;
  elsif _dispute.ruling_until is not null then
    perform step.queue('contract.deliberate', json_build_object('id', _id), _dispute.ruling_until, _id::text);
    return null;
  end if;
  return json_build_object('document', _row.document, 'dispute', contract.show_dispute(_dispute));
end $$;

-- Records a ruling, once. A second one, of a step that ran again or of another operator, changes nothing.
create or replace function contract.rule(_id uuid, _ruling json, _jws text, _actor text) returns json language plpgsql as $$
declare
  _dispute svc.contract_dispute;
  _row svc.contract;
begin
  select * into _dispute from svc.contract_dispute where id = _id;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  _row := contract.lock(_dispute.contract_id);
  update svc.contract_dispute set state = 'ruled', ruling = _ruling, ruling_jws = _jws, ended_at = clock_timestamp()
    where id = _id and state = 'deliberating' returning * into _dispute;
  if not found then
    raise exception 'DISPUTE_NOT_DUE' using errcode = 'SVC01';
  end if;
  perform contract.move(_row, 'ruled', _actor, jsonb_build_object('disputeId', contract.format_dispute_id(_id),
    'outcome', _ruling ->> 'outcome', 'jws', _jws));
  perform contract.copy_log(_row.id);
  return contract.show_dispute(_dispute);
end $$;

-- A deliberation has failed; after so many times the dispute ends without a ruling.
create or replace function contract.note_failed_deliberation(_id uuid, _error text, _max_attempts integer) returns boolean
language plpgsql as $$
declare
  _dispute svc.contract_dispute;
begin
  update svc.contract_dispute set last_error = left(_error, 1000) where id = _id and state = 'deliberating' returning * into _dispute;
  if _dispute.attempts is null or _dispute.attempts < _max_attempts then
    return false;
  end if;
  perform contract.end_dispute(contract.lock(_dispute.contract_id), _dispute, 'failed', 'arbitrator');
  return true;
end $$;

-- The disputes that wait for the operator.
create or replace function contract.list_due_disputes(_limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('dispute', contract.show_dispute(d), 'title', c.title, 'document', c.document)
    order by d.created_at), '[]')
  from (select * from svc.contract_dispute where state = 'deliberating' order by created_at limit _limit) d
  join svc.contract c on c.id = d.contract_id
  where c.document::json #>> '{arbitration,arbitrator}' = 'operator'
$$;
