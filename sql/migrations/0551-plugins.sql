insert into svc.transfer_side values
  ('share', 'revenue', 'available'),
  ('share_back', 'available', 'revenue'),
  -- What the author has spent already is owed.
  ('share_debt', 'owed', 'revenue');

drop index svc.transfer_line;
create index transfer_line on svc.transfer (account_id, id desc) where kind in ('topup', 'chunk', 'link_in', 'hold', 'charge',
  'refund', 'reversal', 'reversal_debt', 'share', 'share_back', 'share_debt');
create index transfer_share on svc.transfer (job_id) where kind in ('share', 'share_back', 'share_debt');

-- The code and the declaration of an operation that an operator has added, as they were when they were taken.
create table svc.plugin_version (
  version text primary key,
  name text not null,
  declaration json not null,
  code bytea not null,
  created_at timestamptz not null default now(),
  -- Since when no new call gets it.
  retired_at timestamptz
);
create index plugin_version_retired on svc.plugin_version (retired_at) where retired_at is not null;

-- What is in the folder of plugins: the version that is in service, and why newer content of the file is refused.
create table svc.plugin (
  file text primary key,
  name text constraint name_is_unique unique,
  version text references svc.plugin_version (version),
  fault text,
  fault_version text,
  author_id uuid,
  share_percent integer constraint share_is_a_part check (share_percent between 1 and 100),
  changed_at timestamptz not null default now(),
  constraint is_in_service_or_refused check (version is not null or fault is not null)
);
create index plugin_author on svc.plugin (author_id) where author_id is not null;
