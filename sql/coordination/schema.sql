-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

coordination_barrier.account_id  uuid not null
coordination_barrier.name  text not null
coordination_barrier.round  int4 not null
coordination_barrier.parties  int4 not null
coordination_barrier.members  _text not null  default '{}'[]
coordination_barrier.created_at  timestamptz not null
coordination_barrier.expires_at  timestamptz not null
coordination_barrier.released_at  timestamptz 
coordination_barrier.channel_id  uuid 
coordination_counter.account_id  uuid not null
coordination_counter.name  text not null
coordination_counter.value  int8 not null  default 0
coordination_counter.updated_at  timestamptz not null  default now()
coordination_counter.channel_id  uuid 
coordination_lock.account_id  uuid not null
coordination_lock.name  text not null
coordination_lock.hold_id  uuid not null
coordination_lock.token_hash  bytea not null
coordination_lock.owner  text 
coordination_lock.fence  int8 not null
coordination_lock.acquired_at  timestamptz not null
coordination_lock.expires_at  timestamptz not null
coordination_lock.wanted_until  timestamptz 
coordination_lock.channel_id  uuid 
CREATE INDEX coordination_barrier_of_channel ON svc.coordination_barrier (channel_id) WHERE (channel_id IS NOT NULL)
CREATE UNIQUE INDEX coordination_barrier_pkey ON svc.coordination_barrier (account_id, name, round)
CREATE INDEX coordination_counter_of_channel ON svc.coordination_counter (channel_id) WHERE (channel_id IS NOT NULL)
CREATE UNIQUE INDEX coordination_counter_pkey ON svc.coordination_counter (account_id, name)
CREATE INDEX coordination_lock_of_channel ON svc.coordination_lock (channel_id) WHERE (channel_id IS NOT NULL)
CREATE UNIQUE INDEX coordination_lock_pkey ON svc.coordination_lock (account_id, name)
coordination_barrier  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
coordination_barrier  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
coordination_counter  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
coordination_counter  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
coordination_lock  check FOREIGN KEY (account_id) REFERENCES svc.account(id)
coordination_lock  check FOREIGN KEY (channel_id) REFERENCES svc.channel(id) ON DELETE CASCADE
coordination.acquire(_job json, _hold json, _seconds integer, _max_names integer) -> json
coordination.add(_job json, _account uuid, _name text, _addend bigint, _least bigint, _most bigint, _max_names integer) -> json
coordination.arrive(_account uuid, _name text, _round integer, _member text) -> json
coordination.delete_counter(_account uuid, _name text) -> json
coordination.describe_hold(_lock svc.coordination_lock) -> json
coordination.erase_account(_account uuid) -> void
coordination.export_account(_account uuid) -> json
coordination.find_channel(_name text) -> uuid
coordination.find_end(_channel uuid, _seconds integer) -> timestamp with time zone
coordination.find_hold(_account uuid, _name text, _token bytea) -> svc.coordination_lock
coordination.forget(_days integer, _limit integer) -> bigint
coordination.list(_account uuid, _kind text, _after text, _limit integer) -> json
coordination.list_of(_account uuid, _channel uuid, _kind text, _after text, _limit integer) -> json
coordination.move_account(_from uuid, _to uuid) -> void
coordination.open_barrier(_job json, _account uuid, _name text, _parties integer, _seconds integer, _max_names integer) -> json
coordination.read_barrier(_account uuid, _name text, _round integer) -> json
coordination.read_counter(_account uuid, _name text) -> json
coordination.read_lock(_account uuid, _name text) -> json
coordination.refuse_name(_max_names integer) -> void
coordination.release(_account uuid, _name text, _token bytea) -> json
coordination.renew(_account uuid, _name text, _token bytea, _seconds integer) -> json
coordination.show_barrier(_barrier svc.coordination_barrier) -> json
coordination.show_counter(_counter svc.coordination_counter) -> json
coordination.show_lock(_lock svc.coordination_lock) -> json
coordination.show_name(_name text) -> text
coordination.state_of(_barrier svc.coordination_barrier) -> text
coordination.take(_hold json, _seconds integer, _max_names integer) -> json
coordination.use_locks(_batch json) -> SETOF json
coordination.want_lock(_account uuid, _name text, _seconds integer) -> void
