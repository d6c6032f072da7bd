-- What happened to a subject, in a chain of hashes.
create table svc.audit_entry (
  subject_kind text not null,
  subject_id uuid not null,
  seq integer not null,
  -- The owner of the subject, who may read it.
  account_id uuid not null,
  actor text not null,
  action text not null,
  detail jsonb not null,
  created_at timestamptz not null,
  previous bytea,
  hash bytea not null,
  primary key (subject_kind, subject_id, seq)
);
create index audit_entry_of_account on svc.audit_entry (account_id);
