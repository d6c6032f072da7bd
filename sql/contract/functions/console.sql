-- Records the ruling of the operator who acts, under their name.
create or replace function contract.rule_as_operator(_id uuid, _ruling json, _jws text) returns void language plpgsql as $$
begin
  perform operator.require('full');
  if not contract.names_operator(_id) then
    raise exception 'DISPUTE_NOT_DUE' using errcode = 'SVC01';
  end if;
  perform contract.rule(_id, _ruling, _jws, 'operator');
  perform operator.record('dispute.rule', contract.format_dispute_id(_id), null, _ruling::jsonb, null);
end $$;

-- A file of evidence for the operator who rules on its dispute; who has read it is in the log.
create or replace function contract.read_file_as_operator(_id uuid, _position integer)
returns table (name text, content_type text, sha256 text, content bytea) language plpgsql as $$
begin
  perform operator.require('read');
  return query select f.name, f.content_type, encode(e.sha256, 'hex'), f.content
    from svc.contract_dispute d
    join svc.contract_evidence e on e.dispute_id = d.id and e.position = _position
    join svc.contract_file f on f.evidence_id = e.id
    where d.id = _id and d.state = 'deliberating' and contract.names_operator(_id);
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform operator.record('dispute.read-file', contract.format_dispute_id(_id), null,
    jsonb_build_object('evidence', 'e' || _position), null);
end $$;

-- Whether the contract of a dispute names the operator, and no model, as its arbitrator.
create or replace function contract.names_operator(_id uuid) returns boolean language sql stable as $$
  select exists (select from svc.contract_dispute d join svc.contract c on c.id = d.contract_id
    where d.id = _id and c.document::json #>> '{arbitration,arbitrator}' = 'operator')
$$;
