-- Money that follows a wallet into another account; the words come a file ahead of their use.
alter type svc.transfer_kind add value 'link_out';
alter type svc.transfer_kind add value 'link_in';
