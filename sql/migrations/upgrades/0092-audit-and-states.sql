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

-- The states that products declare for their tables, and the event of each. Written on every migrate.
create table svc.transition_rule (
  table_name text not null,
  state text not null,
  next_states text[] not null,
  event text,
  primary key (table_name, state)
);

alter table svc.handoff add column account_id uuid;
alter table svc.handoff add column state text not null default 'issued';
alter table svc.handoff add column state_at timestamptz not null default now();
update svc.handoff h set account_id = l.account_id, state = case when h.revoked_at is not null then 'revoked'
    when h.claims = h.max_claims then 'claimed' when h.expires_at <= now() then 'expired' else 'issued' end
  from svc.lease l where l.id = h.lease_id;
delete from svc.handoff where account_id is null;
alter table svc.handoff alter column account_id set not null;
select lane_step.add_job('handoff.expire', json_build_object('handoffId', h.id), run_at => h.expires_at,
    job_key => 'handoff.expire:' || h.id, max_attempts => 12)
  from svc.handoff h where h.state = 'issued';
