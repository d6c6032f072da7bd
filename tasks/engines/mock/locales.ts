/** The languages and countries whose names and places can be made up. */
export const LOCALES = (
  'af_ZA ar az bn_BD cs_CZ cy da de de_AT de_CH dv el en en_AU en_CA en_GB en_GH en_HK en_IE en_IN en_NG en_NP en_US en_ZA ' +
  'eo es es_MX fa fi fr fr_BE fr_CA fr_CH fr_LU fr_SN he hr hu hy id_ID it ja ka_GE ko ku_ckb ku_kmr_latin lv mk ' +
  'mn_MN_cyrl nb_NO ne nl nl_BE pl pt_BR pt_PT ro ro_MD ru sk sl_SI sr_RS_latin sv ta_IN th tr uk ur uz_UZ_latin vi ' +
  'yo_NG zh_CN zh_TW zu_ZA'
).split(' ')

/** Where the last name comes first, and what stands between the names. */
export const LAST_NAME_FIRST: Record<string, string> = {
  hu: ' ',
  ja: ' ',
  ko: '',
  vi: ' ',
  zh_CN: '',
  zh_TW: '',
}

/** Telephone numbers that their countries keep for fiction; # is any digit. */
export const PHONES: Record<string, readonly string[]> = {
  en: ['+1-212-555-01##', '+1-312-555-01##', '+1-415-555-01##', '+1-617-555-01##', '+1-713-555-01##'],
  en_AU: ['+61 2 5550 ####', '+61 3 5550 ####', '+61 7 5550 ####', '+61 8 5550 ####'],
  en_GB: ['+44 20 7946 0###', '+44 113 496 0###', '+44 161 496 0###', '+44 7700 900###'],
  fr: ['+33 1 99 00 ## ##', '+33 2 61 91 ## ##', '+33 3 53 01 ## ##', '+33 4 65 71 ## ##', '+33 6 39 98 ## ##'],
  de: ['+49 30 23125 ###', '+49 69 90009 ###', '+49 40 66969 ###', '+49 89 99998 ###'],
}
