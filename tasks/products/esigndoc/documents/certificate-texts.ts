import type { CertificateLanguage } from '../document.ts'

export interface CertificateTexts {
  title: string
  intro: string
  envelope: string
  name: string
  sender: string
  created: string
  sent: string
  completed: string
  issuer: string
  documents: string
  document: string
  /** `{pages}` is replaced. */
  pages: string
  signatures: string
  date: string
  email: string
  role: string
  status: string
  authentication: string
  address: string
  browser: string
  notified: string
  viewed: string
  signed: string
  consent: string
  signature: string
  events: string
  chain: string
  /** `{entries}` is replaced. */
  chainHead: string
  how: string
  /** `{page}` and `{pages}` are replaced by the pages of the certificate. */
  footer: string
  roles: Record<string, string>
  statuses: Record<string, string>
  methods: Record<string, string>
}

export const CERTIFICATE_TEXTS: Record<CertificateLanguage, CertificateTexts> = {
  en: {
    title: 'Certificate of signature',
    intro:
      'This page records who signed the documents named below, when, and how they were recognised. All times are UTC.',
    envelope: 'Envelope',
    name: 'Title',
    sender: 'Sent by',
    created: 'Created',
    sent: 'Sent',
    completed: 'Completed',
    issuer: 'Sealed by',
    documents: 'Documents as sent',
    document: 'SHA-256',
    pages: '{pages} pages',
    signatures: 'Signatures',
    date: 'Date',
    email: 'Email',
    role: 'Role',
    status: 'Status',
    authentication: 'Recognised by',
    address: 'IP address',
    browser: 'Browser',
    notified: 'Notified',
    viewed: 'Opened',
    signed: 'Signed',
    consent: 'Agreed to',
    signature: 'Signature',
    events: 'Log',
    chain: 'Hash chain',
    chainHead: 'after {entries} entries',
    how:
      'Each entry of the log holds the hash of the entry before it, so that none can be changed, left out or added later ' +
      'without changing the last hash. The digital signature of this file covers every page, this one included.',
    footer: 'Envelope {id} · page {page} of {pages} of the certificate',
    roles: { signer: 'signer', approver: 'approver', viewer: 'viewer', cc: 'copy', witness: 'witness' },
    statuses: {
      completed: 'completed',
      declined: 'declined',
      reassigned: 'reassigned',
      skipped: 'copy only',
      viewed: 'opened',
      notified: 'notified',
      waiting: 'waiting',
      bounced: 'mail bounced',
    },
    methods: {
      link: 'personal link',
      email: 'personal link sent by mail',
      email_otp: 'code sent by mail',
      sms_otp: 'code sent by text message',
      access_code: 'access code',
      wallet: 'wallet signature',
      idverify: 'identity document',
    },
  },
  de: {
    title: 'Signaturzertifikat',
    intro:
      'Diese Seite hält fest, wer die unten genannten Dokumente wann unterzeichnet hat und wie die Person erkannt wurde. ' +
      'Alle Zeiten sind UTC.',
    envelope: 'Umschlag',
    name: 'Titel',
    sender: 'Gesendet von',
    created: 'Angelegt',
    sent: 'Gesendet',
    completed: 'Abgeschlossen',
    issuer: 'Versiegelt von',
    documents: 'Dokumente wie gesendet',
    document: 'SHA-256',
    pages: '{pages} Seiten',
    signatures: 'Unterschriften',
    date: 'Datum',
    email: 'E-Mail',
    role: 'Rolle',
    status: 'Stand',
    authentication: 'Erkannt durch',
    address: 'IP-Adresse',
    browser: 'Browser',
    notified: 'Benachrichtigt',
    viewed: 'Geöffnet',
    signed: 'Unterzeichnet',
    consent: 'Zugestimmt',
    signature: 'Unterschrift',
    events: 'Protokoll',
    chain: 'Hashkette',
    chainHead: 'nach {entries} Einträgen',
    how:
      'Jeder Eintrag des Protokolls enthält den Hash des Eintrags davor. Keiner kann später geändert, weggelassen oder ' +
      'eingefügt werden, ohne dass sich der letzte Hash ändert. Die digitale Signatur dieser Datei umfasst jede Seite, ' +
      'auch diese.',
    footer: 'Umschlag {id} · Seite {page} von {pages} des Zertifikats',
    roles: { signer: 'unterzeichnet', approver: 'gibt frei', viewer: 'liest', cc: 'Kopie', witness: 'bezeugt' },
    statuses: {
      completed: 'abgeschlossen',
      declined: 'abgelehnt',
      reassigned: 'weitergegeben',
      skipped: 'nur Kopie',
      viewed: 'geöffnet',
      notified: 'benachrichtigt',
      waiting: 'wartet',
      bounced: 'E-Mail unzustellbar',
    },
    methods: {
      link: 'persönlichen Link',
      email: 'persönlichen Link per E-Mail',
      email_otp: 'Code per E-Mail',
      sms_otp: 'Code per SMS',
      access_code: 'Zugangscode',
      wallet: 'Signatur einer Wallet',
      idverify: 'Ausweisdokument',
    },
  },
  fr: {
    title: 'Certificat de signature',
    intro:
      'Cette page indique qui a signé les documents nommés ci-dessous, quand, et comment chaque personne a été reconnue. ' +
      'Toutes les heures sont en UTC.',
    envelope: 'Enveloppe',
    name: 'Titre',
    sender: 'Envoyée par',
    created: 'Créée',
    sent: 'Envoyée',
    completed: 'Terminée',
    issuer: 'Scellée par',
    documents: 'Documents envoyés',
    document: 'SHA-256',
    pages: '{pages} pages',
    signatures: 'Signatures',
    date: 'Date',
    email: 'Courriel',
    role: 'Rôle',
    status: 'État',
    authentication: 'Reconnaissance',
    address: 'Adresse IP',
    browser: 'Navigateur',
    notified: 'Avertissement',
    viewed: 'Ouverture',
    signed: 'Signature',
    consent: 'Consentement',
    signature: 'Signature',
    events: 'Journal',
    chain: 'Chaîne de hachage',
    chainHead: 'après {entries} entrées',
    how:
      "Chaque entrée du journal contient l'empreinte de la précédente : aucune ne peut être modifiée, omise ou ajoutée " +
      'plus tard sans changer la dernière. La signature numérique de ce fichier couvre toutes les pages, y compris celle-ci.',
    footer: 'Enveloppe {id} · page {page} sur {pages} du certificat',
    roles: { signer: 'signataire', approver: 'approbateur', viewer: 'lecteur', cc: 'copie', witness: 'témoin' },
    statuses: {
      completed: 'terminé',
      declined: 'refusé',
      reassigned: 'transmis',
      skipped: 'copie seulement',
      viewed: 'ouvert',
      notified: 'averti',
      waiting: 'en attente',
      bounced: 'courriel non remis',
    },
    methods: {
      link: 'lien personnel',
      email: 'lien personnel envoyé par courriel',
      email_otp: 'code envoyé par courriel',
      sms_otp: 'code envoyé par SMS',
      access_code: "code d'accès",
      wallet: "signature d'un portefeuille",
      idverify: "pièce d'identité",
    },
  },
  es: {
    title: 'Certificado de firma',
    intro:
      'Esta página indica quién firmó los documentos nombrados abajo, cuándo y cómo se reconoció a cada persona. ' +
      'Todas las horas son UTC.',
    envelope: 'Sobre',
    name: 'Título',
    sender: 'Enviado por',
    created: 'Creado',
    sent: 'Enviado',
    completed: 'Completado',
    issuer: 'Sellado por',
    documents: 'Documentos enviados',
    document: 'SHA-256',
    pages: '{pages} páginas',
    signatures: 'Firmas',
    date: 'Fecha',
    email: 'Correo',
    role: 'Función',
    status: 'Estado',
    authentication: 'Reconocido por',
    address: 'Dirección IP',
    browser: 'Navegador',
    notified: 'Aviso',
    viewed: 'Apertura',
    signed: 'Firma',
    consent: 'Consentimiento',
    signature: 'Firma',
    events: 'Registro',
    chain: 'Cadena de hashes',
    chainHead: 'tras {entries} entradas',
    how:
      'Cada entrada del registro contiene el hash de la anterior: ninguna puede cambiarse, omitirse o añadirse después sin ' +
      'cambiar el último. La firma digital de este archivo cubre todas las páginas, también esta.',
    footer: 'Sobre {id} · página {page} de {pages} del certificado',
    roles: { signer: 'firmante', approver: 'aprobador', viewer: 'lector', cc: 'copia', witness: 'testigo' },
    statuses: {
      completed: 'completado',
      declined: 'rechazado',
      reassigned: 'transferido',
      skipped: 'solo copia',
      viewed: 'abierto',
      notified: 'avisado',
      waiting: 'en espera',
      bounced: 'correo no entregado',
    },
    methods: {
      link: 'enlace personal',
      email: 'enlace personal por correo',
      email_otp: 'código por correo',
      sms_otp: 'código por SMS',
      access_code: 'código de acceso',
      wallet: 'firma de una cartera',
      idverify: 'documento de identidad',
    },
  },
}
