-- The links of signers that a new one has taken the place of: whoever follows one is told that it is of no use any more.
create table svc.envelope_replaced_link (
  token_hash bytea primary key,
  recipient_id uuid not null references svc.envelope_recipient (id) on delete cascade
);
create index envelope_replaced_link_of_recipient on svc.envelope_replaced_link (recipient_id);
