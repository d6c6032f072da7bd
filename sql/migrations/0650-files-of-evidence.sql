-- The files that parties hand in as evidence of a dispute. Their hashes are in the log of the contract.
create table svc.contract_file (
  evidence_id uuid primary key references svc.contract_evidence (id) on delete cascade,
  name text not null,
  content_type text not null,
  content bytea not null
);
