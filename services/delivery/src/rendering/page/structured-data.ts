import type { ReturnedReceipt } from '@receipts/contracts';
import { mapped, type Steps } from '../in-steps';
import { clean } from '../view/text';

export type StructuredReceipt = ReturnedReceipt;

/**
 * The receipt as structured data: a schema.org `Order` (https://schema.org/Order) in JSON-LD. `<` is escaped, so that
 * texts from the till cannot end the script element.
 */
export function* structuredData(receipt: StructuredReceipt): Steps<string> {
  const currency = receipt.l10n.currency;
  const vatNumber = receipt.store.vatno ?? receipt.retailer.vatno;
  const order = {
    '@context': 'https://schema.org',
    '@type': 'Order',
    orderNumber: clean(receipt.transaction_id),
    orderDate: receipt.localtime,
    orderStatus: `https://schema.org/${receipt.voided ? 'OrderCancelled' : 'OrderDelivered'}`,
    seller: {
      '@type': 'Organization',
      name: clean(receipt.store.company ?? receipt.retailer.name),
      ...(vatNumber !== null && { vatID: clean(vatNumber) }),
    },
    acceptedOffer: yield* mapped(receipt.items, (item) => ({
      '@type': 'Offer',
      price: item.total,
      priceCurrency: currency,
      eligibleQuantity: { '@type': 'QuantitativeValue', value: item.quantity },
      itemOffered: {
        '@type': 'Product',
        name: clean(item.name),
        ...(item.gtin !== null && { gtin: item.gtin }),
        ...(item.serial !== null && { serialNumber: clean(item.serial) }),
      },
    })),
    partOfInvoice: {
      '@type': 'Invoice',
      paymentStatus: 'https://schema.org/PaymentComplete',
      totalPaymentDue: { '@type': 'MonetaryAmount', value: receipt.total, currency },
    },
  };
  return JSON.stringify(order).replaceAll('<', '\\u003c');
}
