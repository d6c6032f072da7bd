-- The report of a verification as PDF, made when it is asked for.
create table svc.idverify_report (
  verification_id uuid primary key references svc.idverify (id) on delete cascade,
  object_key text not null,
  -- When that was written which it says.
  made_from timestamptz not null
);
