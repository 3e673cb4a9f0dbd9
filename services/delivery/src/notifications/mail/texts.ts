import type { PortalLanguage } from '@receipts/contracts';

/** The fixed texts of the e-mails to managers. */
export interface NotificationTexts {
  readonly totalsSubject: string;
  readonly totals: string;
  readonly store: string;
  readonly unknownStore: string;
  readonly receipts: string;
  readonly returns: string;
  readonly total: string;
  readonly allStores: string;
  readonly voided: string;
  readonly late: string;
  readonly openTotals: string;
  readonly alerts: string;
  readonly silentTill: string;
  readonly tillBack: string;
  readonly moreTills: string;
  readonly noTill: string;
  readonly openTills: string;
  readonly failedPackets: string;
  readonly openPackets: string;
  readonly disabledWebhooks: string;
  readonly moreWebhooks: string;
  readonly openWebhooks: string;
  readonly failingChecks: string;
  readonly openChecks: string;
  readonly why: string;
  readonly choose: string;
  readonly stop: string;
}

export const notificationTexts: Readonly<Record<PortalLanguage, NotificationTexts>> = {
  en: {
    totalsSubject: '{name}: totals of {day}',
    totals: 'Totals of {day}',
    store: 'Store',
    unknownStore: 'Store {reference}',
    receipts: 'Receipts',
    returns: 'Returns',
    total: 'Total',
    allStores: 'Together',
    voided: 'Voided',
    late: 'Receipts that arrive later are shown in the portal.',
    openTotals: 'Open the totals',
    alerts: 'What needs your attention',
    silentTill: 'Till {till} is silent: {store}, last data {time}',
    tillBack: 'Till {till} sends again: {store}, since {time}',
    moreTills: 'Further reports about tills: {count}',
    noTill: 'without a number',
    openTills: 'Show the tills',
    failedPackets: 'Packets that could not be converted: {count}',
    openPackets: 'Show the packets',
    disabledWebhooks: 'Webhook endpoint disabled: {endpoint}',
    moreWebhooks: 'Further webhook endpoints disabled: {count}',
    openWebhooks: 'Show the webhooks',
    failingChecks: 'Receipts of the last hour that do not add up: {failed} of {receipts}',
    openChecks: 'Show the receipts',
    why: 'You have chosen this e-mail in the receipt portal.',
    choose: 'Change your choice',
    stop: 'Stop all these e-mails',
  },
  fr: {
    totalsSubject: '{name} : totaux du {day}',
    totals: 'Totaux du {day}',
    store: 'Magasin',
    unknownStore: 'Magasin {reference}',
    receipts: 'Tickets',
    returns: 'Retours',
    total: 'Total',
    allStores: 'Ensemble',
    voided: 'Annulés',
    late: 'Les tickets qui arrivent plus tard sont visibles dans le portail.',
    openTotals: 'Ouvrir les totaux',
    alerts: 'À vérifier',
    silentTill: 'La caisse {till} est silencieuse : {store}, dernières données {time}',
    tillBack: 'La caisse {till} envoie de nouveau : {store}, depuis {time}',
    moreTills: 'Autres messages sur des caisses : {count}',
    noTill: 'sans numéro',
    openTills: 'Voir les caisses',
    failedPackets: 'Paquets qui n’ont pas pu être convertis : {count}',
    openPackets: 'Voir les paquets',
    disabledWebhooks: 'Point de terminaison webhook désactivé : {endpoint}',
    moreWebhooks: 'Autres points de terminaison webhook désactivés : {count}',
    openWebhooks: 'Voir les webhooks',
    failingChecks: 'Tickets de la dernière heure avec une erreur de calcul : {failed} sur {receipts}',
    openChecks: 'Voir les tickets',
    why: 'Vous avez choisi cet e-mail dans le portail des tickets.',
    choose: 'Modifier votre choix',
    stop: 'Ne plus recevoir ces e-mails',
  },
  de: {
    totalsSubject: '{name}: Summen vom {day}',
    totals: 'Summen vom {day}',
    store: 'Filiale',
    unknownStore: 'Filiale {reference}',
    receipts: 'Bons',
    returns: 'Rückgaben',
    total: 'Summe',
    allStores: 'Zusammen',
    voided: 'Storniert',
    late: 'Bons, die später eintreffen, zeigt das Portal.',
    openTotals: 'Summen öffnen',
    alerts: 'Das braucht Ihre Aufmerksamkeit',
    silentTill: 'Kasse {till} ist still: {store}, letzte Daten {time}',
    tillBack: 'Kasse {till} sendet wieder: {store}, seit {time}',
    moreTills: 'Weitere Meldungen zu Kassen: {count}',
    noTill: 'ohne Nummer',
    openTills: 'Kassen anzeigen',
    failedPackets: 'Pakete, die nicht umgewandelt werden konnten: {count}',
    openPackets: 'Pakete anzeigen',
    disabledWebhooks: 'Webhook-Endpunkt deaktiviert: {endpoint}',
    moreWebhooks: 'Weitere deaktivierte Webhook-Endpunkte: {count}',
    openWebhooks: 'Webhooks anzeigen',
    failingChecks: 'Bons der letzten Stunde, die rechnerisch nicht stimmen: {failed} von {receipts}',
    openChecks: 'Bons anzeigen',
    why: 'Sie haben diese E-Mail im Bon-Portal gewählt.',
    choose: 'Auswahl ändern',
    stop: 'Alle diese E-Mails abbestellen',
  },
  es: {
    totalsSubject: '{name}: totales del {day}',
    totals: 'Totales del {day}',
    store: 'Tienda',
    unknownStore: 'Tienda {reference}',
    receipts: 'Recibos',
    returns: 'Devoluciones',
    total: 'Total',
    allStores: 'En conjunto',
    voided: 'Anulados',
    late: 'Los recibos que llegan más tarde se ven en el portal.',
    openTotals: 'Abrir los totales',
    alerts: 'Requiere su atención',
    silentTill: 'La caja {till} está en silencio: {store}, últimos datos {time}',
    tillBack: 'La caja {till} vuelve a enviar: {store}, desde {time}',
    moreTills: 'Otros avisos sobre cajas: {count}',
    noTill: 'sin número',
    openTills: 'Ver las cajas',
    failedPackets: 'Paquetes que no se han podido convertir: {count}',
    openPackets: 'Ver los paquetes',
    disabledWebhooks: 'Punto de conexión de webhook desactivado: {endpoint}',
    moreWebhooks: 'Otros puntos de conexión de webhook desactivados: {count}',
    openWebhooks: 'Ver los webhooks',
    failingChecks: 'Recibos de la última hora que no cuadran: {failed} de {receipts}',
    openChecks: 'Ver los recibos',
    why: 'Ha elegido este correo en el portal de recibos.',
    choose: 'Cambiar su elección',
    stop: 'Dejar de recibir estos correos',
  },
  it: {
    totalsSubject: '{name}: totali del {day}',
    totals: 'Totali del {day}',
    store: 'Negozio',
    unknownStore: 'Negozio {reference}',
    receipts: 'Scontrini',
    returns: 'Resi',
    total: 'Totale',
    allStores: 'Insieme',
    voided: 'Annullati',
    late: 'Gli scontrini che arrivano più tardi si vedono nel portale.',
    openTotals: 'Apri i totali',
    alerts: 'Richiede la sua attenzione',
    silentTill: 'La cassa {till} è silenziosa: {store}, ultimi dati {time}',
    tillBack: 'La cassa {till} invia di nuovo: {store}, dalle {time}',
    moreTills: 'Altri avvisi sulle casse: {count}',
    noTill: 'senza numero',
    openTills: 'Mostra le casse',
    failedPackets: 'Pacchetti che non è stato possibile convertire: {count}',
    openPackets: 'Mostra i pacchetti',
    disabledWebhooks: 'Endpoint webhook disattivato: {endpoint}',
    moreWebhooks: 'Altri endpoint webhook disattivati: {count}',
    openWebhooks: 'Mostra i webhook',
    failingChecks: 'Scontrini dell’ultima ora che non quadrano: {failed} di {receipts}',
    openChecks: 'Mostra gli scontrini',
    why: 'Ha scelto questa e-mail nel portale degli scontrini.',
    choose: 'Modifica la sua scelta',
    stop: 'Non ricevere più queste e-mail',
  },
};

/** Fills the placeholders of a text. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
