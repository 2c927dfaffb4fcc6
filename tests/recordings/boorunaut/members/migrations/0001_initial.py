import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def owned(name):
    return models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=django.db.models.deletion.CASCADE, related_name=name)


class Migration(migrations.Migration):
    initial = True
    dependencies = [("booru", "0001_initial"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.CreateModel("Contact", [
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("owner", owned("contacts")),
            ("other", owned("contact_of")),
        ]),
        migrations.CreateModel("Set", [
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("owner", owned("sets")),
            ("gallery", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name="set",
                                             to="booru.gallery")),
        ]),
    ]
