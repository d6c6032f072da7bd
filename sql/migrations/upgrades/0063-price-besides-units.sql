-- What a call costs besides its units, where the operator has set that too.
alter table svc.price add column base_micros bigint check (base_micros >= 0);
