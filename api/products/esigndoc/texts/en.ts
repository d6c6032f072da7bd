export interface Texts {
  title: string
  asks: string
  asksApproval: string
  asksReading: string
  document: string
  pageOf: string
  yourFields: string
  fieldDate: string
  fieldName: string
  fieldEmail: string
  fieldText: string
  fieldNumber: string
  fieldChoice: string
  fieldBox: string
  fieldAttachment: string
  fieldStamp: string
  required: string
  optional: string
  progress: string
  previous: string
  next: string
  zoomIn: string
  zoomOut: string
  zoom: string
  signature: string
  typeIt: string
  drawIt: string
  uploadIt: string
  typedName: string
  drawHere: string
  clear: string
  uploadImage: string
  choose: string
  attach: string
  attached: string
  filledBy: string
  save: string
  saved: string
  sign: string
  approve: string
  decline: string
  declineWhy: string
  declineIt: string
  reassign: string
  reassignName: string
  reassignEmail: string
  reassignIt: string
  download: string
  othersTitle: string
  until: string
  warning: string
  language: string
  done: string
  doneAll: string
  sealing: string
  goOn: string
  nothing: string
  open: string
  openHint: string
  inUse: string
  notYourTurn: string
  expired: string
  unknown: string
  proveEmail: string
  provePhone: string
  sendCode: string
  sendAgain: string
  codeSent: string
  code: string
  proveCode: string
  accessCode: string
  confirm: string
  proveWallet: string
  signWallet: string
  walletChoice: string
  walletUnnamed: string
  walletOpening: string
  walletSwitching: string
  walletSigning: string
  walletDeclined: string
  walletSilent: string
  walletNoAccount: string
  walletOther: string
  walletNetwork: string
  proveIdentity: string
  toIdentity: string
  checkIdentity: string
  declined: string
  reassigned: string
  faultRequired: string
  faultInvalid: string
  whyLength: string
  whyOption: string
  whyPattern: string
  whyDate: string
  whyEmail: string
  whyInteger: string
  whyPhone: string
  whyUrl: string
  whyNumber: string
  whyMin: string
  whyMax: string
  whyEmoji: string
  whyCharacter: string
  faultSignature: string
  faultConsent: string
  faultCode: string
  faultTries: string
  faultCodeSoon: string
  faultFile: string
  faultBusy: string
  faultSigned: string
  faultProof: string
}

export const en: Texts = {
  title: 'Sign: {title}',
  asks: '{sender} asks you, {name}, to sign this document.',
  asksApproval: '{sender} asks you, {name}, to approve this document.',
  asksReading: '{sender} gives you, {name}, this document to read.',
  document: 'Document',
  pageOf: 'Page {page} of {pages}, {file}',
  yourFields: 'What you fill in',
  fieldDate: 'Date',
  fieldName: 'Name',
  fieldEmail: 'E-mail address',
  fieldText: 'Text',
  fieldNumber: 'Number',
  fieldChoice: 'Choice',
  fieldBox: 'Box to tick',
  fieldAttachment: 'Attachment',
  fieldStamp: 'Stamp',
  required: 'required',
  optional: 'optional',
  progress: '{done} of {all} filled in',
  previous: 'Previous field',
  next: 'Next field',
  zoomIn: 'Larger',
  zoomOut: 'Smaller',
  zoom: 'Size of the document',
  signature: 'Your signature',
  typeIt: 'Type it',
  drawIt: 'Draw it',
  uploadIt: 'Upload an image',
  typedName: 'Your name, as your signature',
  drawHere: 'Draw your signature here. With the keyboard, choose "Type it".',
  clear: 'Clear',
  uploadImage: 'Image of your signature, PNG or JPEG',
  choose: 'Choose',
  attach: 'Choose a file',
  attached: 'A file is attached.',
  filledBy: 'Filled in by another signer: {value}',
  save: 'Save and go on later',
  saved: 'Saved.',
  sign: 'Sign',
  approve: 'Approve',
  decline: 'Decline',
  declineWhy: 'Why?',
  declineIt: 'Decline, which ends it for all',
  reassign: 'Somebody else should sign',
  reassignName: 'Their name',
  reassignEmail: 'Their mail address',
  reassignIt: 'Pass it on',
  download: 'Download the PDF',
  othersTitle: 'Who else takes part',
  until: 'Until {time}.',
  warning: 'Whoever has this link can use it in your name; do not pass it on.',
  language: 'Language',
  done: 'Thank you. You have done your part. When all have signed, the sealed document is here.',
  doneAll: 'Everybody has signed. The sealed document is here.',
  sealing: 'Everybody has signed. The document is being sealed and will be on this page in a moment.',
  goOn: 'Go on',
  nothing: 'You have nothing to fill in.',
  open: 'Open the document',
  openHint: 'From then on, this link works in this browser only.',
  inUse: 'This link is in use in another browser. Ask {sender} for a new one.',
  notYourTurn: 'Others sign first. You get a message when it is your turn.',
  expired:
    'This link is of no use any more: the document was cancelled, declined, is over its time, or you got a new link.',
  unknown: 'There is nothing at this address. Copy the link whole.',
  proveEmail: 'To see that it is you, a code is sent to {address}.',
  provePhone: 'To see that it is you, a code is sent to the number {address}.',
  sendCode: 'Send me the code',
  sendAgain: 'Send another code',
  codeSent: 'The code is on its way. It is valid for ten minutes.',
  code: 'Code of six digits',
  proveCode: '{sender} has told you an access code for this document.',
  accessCode: 'Access code',
  confirm: 'Go on',
  proveWallet:
    'To see that it is you, sign a message with the wallet {address}, in a browser that has it. It costs nothing.',
  signWallet: 'Sign with the wallet',
  walletChoice: 'Wallet',
  walletUnnamed: 'Browser wallet',
  walletOpening: 'Please open your wallet…',
  walletSwitching: 'Switching the wallet to the right network…',
  walletSigning: 'Please sign the message in your wallet. It costs nothing.',
  walletDeclined: 'You declined in the wallet. Nothing was sent.',
  walletSilent: 'The wallet did not answer.',
  walletNoAccount: 'The wallet did not share an account.',
  walletOther: 'This is to be signed by {address}. Choose that account in your wallet.',
  walletNetwork: 'Your wallet does not know the network {network}. Add it there first.',
  proveIdentity: 'To see that it is you, your identity is verified first.',
  toIdentity: 'Verify my identity',
  checkIdentity: 'It is verified: go on',
  declined: 'You have declined. {sender} is told so.',
  reassigned: 'You have passed the document on.',
  faultRequired: 'Some fields that are required have no value; they are marked.',
  faultInvalid: 'This value cannot be used: {field}. {reason}',
  whyLength: 'At most {limit} characters.',
  whyOption: 'Choose one of the options.',
  whyPattern: 'It is not in the form that {sender} asks for.',
  whyDate: 'Write a date such as 2026-12-31.',
  whyEmail: 'Write a mail address such as name@example.com.',
  whyInteger: 'Write a whole number.',
  whyPhone: 'Write a telephone number such as +44 20 7946 0123.',
  whyUrl: 'Write a web address such as https://example.com.',
  whyNumber: 'Write a number.',
  whyMin: 'At least {limit}.',
  whyMax: 'At most {limit}.',
  whyEmoji: 'Emoji cannot be written into the document.',
  whyCharacter: 'The fonts of the document lack the character {character}.',
  faultSignature: 'Your signature is blank or only a dot. Type, draw or upload it.',
  faultConsent: 'Tick the box below to agree.',
  faultCode: 'This is not the right code, or it is too old.',
  faultTries: 'Too many codes were sent or tried. Ask {sender} for a new link.',
  faultCodeSoon: 'A code was sent a moment ago. Wait half a minute before you ask for another.',
  faultFile: 'This file cannot be used: it is too large, empty, or of another kind.',
  faultBusy: 'The service is busy. Nothing was lost; try again in a moment.',
  faultSigned: 'You have signed already. What was sent just now was not taken.',
  faultProof: 'Show again that it is you. What you had filled in before is saved.',
}
