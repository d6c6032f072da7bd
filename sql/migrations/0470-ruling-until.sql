-- Until when the operator who is named as arbitrator can rule; then the dispute ends without a ruling.
alter table svc.contract_dispute add column ruling_until timestamptz;
update svc.contract_dispute d set ruling_until = evidence_until + interval '14 days'
  from svc.contract c where c.id = d.contract_id and c.document::json #>> '{arbitration,arbitrator}' = 'operator';
