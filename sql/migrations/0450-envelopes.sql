-- Documents to sign are objects of a kind of their own, which no route for files serves.
alter table svc.object drop constraint object_kind_check;
alter table svc.object add constraint object_kind_check
  check (kind in ('upload', 'output', 'baton', 'lease', 'identity', 'signing'));

-- What a worker finds out of documents for an api that waits for it: pages, places of fields, what cannot be signed.
create table svc.envelope_preparation (
  id uuid primary key,
  -- That of calls which are only priced is no account that there is.
  account_id uuid not null,
  request json not null,
  result json,
  problem json,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '2 hours'
);
create index envelope_preparation_of_account on svc.envelope_preparation (account_id);
create index envelope_preparation_by_end on svc.envelope_preparation (expires_at);

create table svc.envelope_template (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  name text not null,
  version integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index envelope_template_of_account on svc.envelope_template (account_id, created_at desc, id);

-- What was made with a version keeps to it.
create table svc.envelope_template_version (
  template_id uuid not null references svc.envelope_template (id) on delete cascade,
  version integer not null,
  files json not null,
  roles json not null,
  fields json not null,
  defaults json not null,
  created_at timestamptz not null default now(),
  primary key (template_id, version)
);

create table svc.envelope (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  title text not null,
  -- What its creator has chosen besides what has a column.
  terms json not null,
  signing_order text not null check (signing_order in ('parallel', 'sequential')),
  timezone text not null,
  reference_id text,
  metadata json,
  template_id uuid references svc.envelope_template (id) on delete set null,
  template_version integer,
  batch_id uuid,
  job_id uuid,
  charge_micros bigint not null default 0,
  expires_in_days integer not null,
  state text not null default 'draft',
  state_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  -- When somebody first opened it.
  viewed_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz,
  resent_at timestamptz,
  resends integer not null default 0,
  -- The ledger of its owner that has a copy of the log.
  baton_id uuid,
  copied_entries integer not null default 0,
  -- Of the sealed documents: level, signer, why there is no timestamp.
  seal json
);
create index envelope_of_account on svc.envelope (account_id, created_at desc, id);
create index envelope_of_template on svc.envelope (template_id) where template_id is not null;
create index envelope_to_forget on svc.envelope (state_at) where state in ('draft', 'rejected', 'expired', 'cancelled');

create table svc.envelope_file (
  envelope_id uuid not null references svc.envelope (id) on delete cascade,
  position integer not null,
  name text not null,
  -- As it was given, and as it is signed: tags removed, a page for signatures appended.
  original json not null,
  content json not null,
  pages json not null,
  primary key (envelope_id, position)
);
create index envelope_file_by_original on svc.envelope_file ((original ->> 'key'));
create index envelope_file_by_content on svc.envelope_file ((content ->> 'key'));

create table svc.envelope_output (
  envelope_id uuid not null references svc.envelope (id) on delete cascade,
  kind text not null check (kind in ('signed', 'certificate')),
  position integer not null,
  name text not null,
  object_key text not null,
  size_bytes bigint not null,
  sha256 text not null,
  pages integer not null,
  primary key (envelope_id, kind, position)
);
create index envelope_output_by_hash on svc.envelope_output (sha256);

create table svc.envelope_recipient (
  id uuid primary key,
  envelope_id uuid not null references svc.envelope (id) on delete cascade,
  position integer not null,
  name text not null,
  email text,
  phone text,
  role text not null check (role in ('signer', 'witness', 'approver', 'viewer', 'cc')),
  turn integer not null,
  language text not null,
  delivery text not null check (delivery in ('email', 'link', 'none')),
  verification text not null check (verification in ('none', 'email_otp', 'access_code', 'sms_otp', 'wallet', 'idverify')),
  access_code_hash bytea,
  wallet text,
  redirect_url text,
  message text,
  metadata json,
  -- The link follows from the id and this; a new one makes the old link worthless.
  link_nonce text not null,
  token_hash bytea not null unique,
  -- The one browser that may go on: that which has proved who it is, or which opened the link first where that is asked for.
  session_hash bytea,
  verified_at timestamptz,
  verification_id uuid,
  code_hash bytea,
  code_until timestamptz,
  code_tries integer not null default 0,
  codes_sent integer not null default 0,
  status text not null default 'waiting'
    check (status in ('waiting', 'notified', 'viewed', 'completed', 'declined', 'reassigned', 'bounced', 'skipped')),
  notified_at timestamptz,
  viewed_at timestamptz,
  signed_at timestamptz,
  decline_reason text,
  reassigned_to uuid,
  remind_at timestamptz,
  reminders_sent integer not null default 0,
  delivery_error text,
  -- What completed it: the consent, where from, and what of.
  consent json,
  ip text,
  user_agent text,
  signature json,
  signed_digest bytea,
  unique (envelope_id, position)
);
create index envelope_recipient_by_email on svc.envelope_recipient (lower(email)) where email is not null;
create index envelope_recipient_by_wallet on svc.envelope_recipient (wallet) where wallet is not null;

create table svc.envelope_field (
  envelope_id uuid not null references svc.envelope (id) on delete cascade,
  id text not null,
  position integer not null,
  recipient_id uuid references svc.envelope_recipient (id) on delete cascade,
  -- Type, place and rules.
  spec json not null,
  value json,
  primary key (envelope_id, id)
);
create index envelope_field_of_recipient on svc.envelope_field (recipient_id);

-- What signers have uploaded: images of signatures, and attachments.
create table svc.envelope_upload (
  id uuid primary key,
  envelope_id uuid not null references svc.envelope (id) on delete cascade,
  recipient_id uuid not null references svc.envelope_recipient (id) on delete cascade,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  object_key text not null,
  created_at timestamptz not null default now()
);
create index envelope_upload_of_envelope on svc.envelope_upload (envelope_id);
create index envelope_upload_of_recipient on svc.envelope_upload (recipient_id);

-- Pages as images, by the key of the document, which a template and its envelopes share.
create table svc.envelope_page (
  content_key text not null,
  account_id uuid not null references svc.account (id),
  page integer not null,
  width integer not null,
  object_key text not null,
  primary key (content_key, page, width)
);
create index envelope_page_of_account on svc.envelope_page (account_id);

create table svc.envelope_batch (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  template_id uuid references svc.envelope_template (id) on delete set null,
  sends boolean not null,
  created_at timestamptz not null default now()
);
create index envelope_batch_of_template on svc.envelope_batch (template_id) where template_id is not null;
create index envelope_batch_of_account on svc.envelope_batch (account_id, created_at desc, id);

create table svc.envelope_batch_row (
  batch_id uuid not null references svc.envelope_batch (id) on delete cascade,
  position integer not null,
  envelope_id uuid references svc.envelope (id) on delete set null,
  -- Why it was not sent.
  problem json,
  primary key (batch_id, position)
);
create index envelope_batch_row_of_envelope on svc.envelope_batch_row (envelope_id) where envelope_id is not null;
