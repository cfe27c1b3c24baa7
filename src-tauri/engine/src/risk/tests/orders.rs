//! Orders of tools by their words: what only lists beside what is kept secret, and deleting that no table tells of.

use super::{check, judged};
use crate::knowledge;
use crate::protocol::Risk;

#[test]
fn listing_the_names_of_secrets_is_no_danger() {
    check(
        Risk::Safe,
        "
        vault list secret/
        vault kv list secret/
        vault kv metadata get secret/a
        vault audit list
        bao namespace list
        aws secretsmanager list-secrets
        aws secretsmanager describe-secret --secret-id a
        aws ssm describe-parameters
        aws kms list-keys
        gcloud secrets list
        gcloud secrets list --format=json
        gcloud secrets describe a
        gcloud secrets versions list a
        gcloud kms keys list --location=x --keyring=y
        az keyvault list
        az keyvault key list --vault-name a
        az keyvault key show --name a --vault-name b
        gh secret list
        flyctl secrets list
        wrangler secret list
        op item list
        op user list
        doppler secrets --only-names
        bw list folders
        chamber list app
        chamber list-services
        gopass ls
        lpass ls
        keepassxc-cli ls db.kdbx
        aws-vault list",
    );
}

#[test]
fn what_prints_or_changes_a_secret_stays_dangerous() {
    check(
        Risk::Dangerous,
        "
        vault kv get secret/a
        vault read secret/a
        vault kv delete secret/a
        aws secretsmanager get-secret-value --secret-id a
        aws secretsmanager delete-secret --secret-id a
        gcloud secrets versions access latest --secret=a
        gcloud secrets delete a
        gcloud secrets list delete
        gcloud iam service-accounts keys list --iam-account a
        az keyvault secret show --name a --vault-name b
        az keyvault secret list --vault-name a
        az keyvault key list --vault-name secrets
        az keyvault secret delete --name a --vault-name b
        az keyvault purge --name a
        az storage account keys list
        gh secret set A
        gh secret delete A
        flyctl secrets set A=b
        wrangler secret delete A
        heroku config
        op item get a
        op read op://a/b/c
        doppler secrets
        doppler secrets get A --only-names
        doppler secrets delete A --only-names
        bw list items
        bw get password a
        infisical secrets
        chamber list -e app
        chamber read app a
        pass ls bank
        gopass show bank
        secret-tool search a b
        keepassxc-cli show db.kdbx a
        security find-generic-password -w -s a
        mimikatz",
    );
}

/// Programs whose words are files and devices, although their table calls them texts.
const NO_ORDERS: [&str; 3] = ["jar", "tabix", "wipefs"];

#[test]
fn deleting_that_no_table_tells_of_is_never_safe() {
    let mut safe = Vec::new();
    for name in knowledge::names_with_orders() {
        for order in ["delete", "destroy", "purge", "remove"] {
            for words in [format!("{order} x"), format!("thing {order} x"), format!("thing part {order} x")] {
                let command = format!("{name} {words}");
                if judged(&command).risk == Risk::Safe && !NO_ORDERS.contains(&name) {
                    safe.push(command);
                }
            }
        }
    }
    assert_eq!(safe, Vec::<String>::new());
    check(
        Risk::Dangerous,
        "
        frob delete x
        frob thing destroy x
        frob thing part purge x",
    );
    check(
        Risk::Caution,
        "
        frob remove x
        frob thing remove x",
    );
}
